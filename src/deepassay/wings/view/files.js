
// Files: what a server would look up is looked up here, in what the file holds or what stands beside it.

const letter = '[\\p{L}\\p{N}_]';
const EAST = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]/;

// Words and their beginnings, phrases in quotation marks; Chinese is found sign by sign.
const patternsOf = (asked) => [...asked.matchAll(/"([^"]+)"|(\S+)/g)].slice(0, 12).flatMap(([, phrase, word]) => {
  const plain = phrase || word.replaceAll('"', ' ');
  const parts = plain.match(new RegExp(`${letter}+`, 'gu'));
  if (!parts) return [];
  const body = parts.join(`[^\\p{L}\\p{N}_]{0,3}`);
  const start = EAST.test(plain) ? '' : `(?<!${letter})`;
  const end = phrase && !EAST.test(plain) ? `(?!${letter})` : '';
  return [new RegExp(start + body + end, 'giu')];
});

const terms = () => new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '');
const made = (name, text = '', kind = '') => Object.assign(document.createElement(name), {textContent: text, className: kind});

// The table of reports.
const filter = document.getElementById('filter');
const table = document.getElementById('rows');

const filtered = () => {
  const asked = terms();
  const words = patternsOf(asked.get('words') || '');
  let count = 0;
  for (const row of table.tBodies[0].rows) {
    const own = row.dataset;
    const fits = (!asked.get('agent') || own.agent === asked.get('agent'))
      && (!asked.get('task') || own.task === asked.get('task'))
      && (!asked.get('label') || own.label.split('\n').includes(asked.get('label')))
      && (!asked.get('cause') || own.cause.split(' ').includes(asked.get('cause')))
      && (!asked.get('mode') || asked.get('mode') in own)
      && words.every((each) => row.textContent.search(each) >= 0);
    row.hidden = !fits;
    count += fits;
  }
  const all = table.tBodies[0].rows.length;
  filter.querySelector('output').textContent = count < all ? `${count} of ${all}` : '';
  for (const name of ['agent', 'task', 'label', 'cause', 'words']) {
    const field = filter.elements[name];
    const value = asked.get(name) || '';
    if (!field) continue;
    if (value && field.options && ![...field.options].some((each) => each.value === value)) field.append(new Option(value, value));
    if (field !== document.activeElement) field.value = value;
  }
  filter.querySelectorAll('[data-mode]').forEach((each) => each.setAttribute('aria-pressed', String(each.dataset.mode === (asked.get('mode') || ''))));
};

const ask = (name, value) => {
  const asked = terms();
  asked.delete('q');
  if (value) asked.set(name, value); else asked.delete(name);
  history.replaceState(null, '', `#${asked.size ? asked : 'all'}`);
  filtered();
};

const sorted = (head) => {
  const at = head.cellIndex;
  const turn = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
  const told = (row) => row.cells[at].textContent.trim();
  const value = (row) => Number.parseFloat(told(row).replace('−', '-'));
  const numbers = head.classList.contains('n');
  const rows = [...table.tBodies[0].rows].sort((one, other) => {
    if (!numbers) return turn * told(one).localeCompare(told(other));
    const [a, b] = [value(one), value(other)];
    return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : turn * (a - b);
  });
  table.tHead.querySelectorAll('[aria-sort]').forEach((each) => each.removeAttribute('aria-sort'));
  head.setAttribute('aria-sort', turn > 0 ? 'ascending' : 'descending');
  table.tBodies[0].append(...rows);
};

if (filter && table) {
  filter.hidden = false;
  filter.addEventListener('submit', (event) => event.preventDefault());
  filter.addEventListener('input', (event) => ask(event.target.name, event.target.value));
  filter.addEventListener('click', (event) => { if (event.target.dataset.mode !== undefined) ask('mode', event.target.dataset.mode); });
  table.tHead.querySelectorAll('th').forEach((head) => {
    const button = made('button', head.textContent, 'sort');
    button.type = 'button';
    button.addEventListener('click', () => sorted(head));
    head.replaceChildren(button);
  });
}

// The search: texts of this file, or scripts beside it that hand them over one after the other.
const find = document.getElementById('find');
const hits = document.getElementById('hits');
const {beside, texts: listed} = document.body.dataset;
const MOST = 60;
const AROUND = 90;
const held = [];
let files = -1;
let asking = 0;

window.textFiles = (count) => { files = count; };
window.texts = (some) => held.push(some);

const load = (name) => new Promise((done) => {
  const script = made('script');
  script.src = beside + name;
  script.onload = script.onerror = () => { script.remove(); done(); };
  document.head.append(script);
});

const titleOf = (report) => report.querySelector('h3').textContent;

// The words of an element, those of cells and paragraphs apart; its head is told beside them.
const read = new Map();
const wordsOf = (element) => {
  if (!read.has(element)) {
    const copy = element.cloneNode(true);
    if (copy.matches('.finding')) copy.querySelector('.head').remove();
    copy.querySelectorAll('td, th, p, li, br, summary, blockquote').forEach((each) => each.after(' '));
    read.set(element, copy.textContent.trim());
  }
  return read.get(element);
};

// Of a file with everything in it: reports by their blocks, and findings.
function* inside() {
  for (const report of document.querySelectorAll('details.report')) {
    const blocks = [...report.querySelectorAll('.text')];
    yield {kind: 'report', title: titleOf(report), told: '', blocks, text: blocks.map(wordsOf).join('\n')};
    for (const finding of report.querySelectorAll('.finding')) {
      yield {kind: 'finding', title: titleOf(report), told: finding.querySelector('.head').textContent.replace('¶', '').trim(), blocks: [finding], text: wordsOf(finding)};
    }
  }
}

async function* everyText() {
  if (!listed) {
    yield [...inside()];
    return;
  }
  if (files < 0) await load(listed);
  for (let at = 0; at < files; at += 1) {
    if (!held[at]) await load(`texts-${String(at + 1).padStart(4, '0')}.js`);
    yield (held[at] || []).map(([kind, title, told, href, text]) => ({kind, title, told, href: beside + href, text}));
  }
}

const countOf = (text, patterns) => {
  let count = 0;
  for (const each of patterns) {
    const found = text.match(each);
    if (!found) return 0;
    count += found.length;
  }
  return count;
};

const snippet = (text, pattern) => {
  pattern.lastIndex = 0;
  const found = pattern.exec(text);
  const line = made('p', '', 'snippet');
  line.dir = 'auto';
  const [start, end] = [found.index, found.index + found[0].length];
  line.append((start > AROUND ? '…' : '') + text.slice(Math.max(0, start - AROUND), start), made('mark', found[0], 'quote'),
    text.slice(end, end + AROUND) + (end + AROUND < text.length ? '…' : ''));
  return line;
};

let named = 0;
const address = (each, pattern) => {
  if (each.href) return each.href;
  const block = each.blocks.find((own) => own.textContent.search(pattern) >= 0) || each.blocks[0];
  if (!block.id) {
    named += 1;
    block.id = `x${named}`;
  }
  return `#${block.id}`;
};

const shown = (found, asked, patterns, looked) => {
  const list = made('ol', '', 'hits');
  for (const [each] of found.slice(0, MOST)) {
    const row = made('li');
    const line = made('p');
    const link = made('a', each.title, 'go');
    link.href = address(each, patterns[0]);
    line.append(made('span', each.kind, 'kind'), ' ', link, ' ', made('span', each.told, 'faint'));
    row.append(line, snippet(each.text, patterns[0]));
    list.append(row);
  }
  const more = found.length > MOST ? `; the first ${MOST}` : '';
  hits.replaceChildren(made('h2', `${found.length} text${found.length === 1 ? '' : 's'} with “${asked}”${more}${looked}`), list);
};

const search = async (asked) => {
  asking += 1;
  const own = asking;
  const patterns = patternsOf(asked);
  hits.hidden = !patterns.length;
  if (!patterns.length) return;
  let found = [];
  let at = 0;
  for await (const some of everyText()) {
    if (own !== asking) return;
    at += 1;
    for (const each of some) {
      const count = countOf(each.text, patterns);
      if (count) found.push([each, count]);
    }
    found = found.sort((one, other) => other[1] - one[1]);
    shown(found, asked, patterns, listed && at < files ? `, looking through ${at} of ${files} files` : '');
  }
  if (!at) hits.replaceChildren(made('p', 'The texts beside this file are not there: keep its folder with it.', 'notice'));
  hits.scrollIntoView();
};

find.hidden = false;
find.addEventListener('submit', (event) => {
  event.preventDefault();
  const asked = find.elements.q.value.trim();
  if (terms().get('q') === asked) search(asked); else location.hash = asked ? `q=${encodeURIComponent(asked)}` : '';
});

const arrived = () => {
  const asked = terms();
  if (asked.get('q')) {
    find.elements.q.value = asked.get('q');
    search(asked.get('q'));
  } else if (filter && table) {
    filtered();
    if (asked.size) table.scrollIntoView();
  }
};
addEventListener('hashchange', arrived);
arrived();
