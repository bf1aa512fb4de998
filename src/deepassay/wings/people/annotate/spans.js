'use strict';
// A place in a text is told by how many characters are seen before it, blanks aside: that is the same
// whatever elements they stand in, and the server counts as well.
const textNamed = (name) => document.getElementById(name);
const withoutBlanks = (text) => [...text.replace(/[ \t\n\f\r]/g, '')];
const counted = (text, node, offset) => {
  const before = new Range();
  before.setStart(text, 0);
  before.setEnd(node, offset);
  return withoutBlanks(before.toString()).length;
};
// Of each character that is counted, its node and where in it it stands; the texts never change.
const seen = new Map();
const seenIn = (text) => {
  if (seen.has(text)) return seen.get(text);
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const signs = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let at = 0;
    for (const sign of node.data) {
      if (!' \t\n\f\r'.includes(sign)) signs.push([node, at, at + sign.length]);
      at += sign.length;
    }
  }
  seen.set(text, signs);
  return signs;
};
const spanRange = (text, start, end) => {
  const signs = seenIn(text);
  if (!(start < end && end <= signs.length)) return null;
  const range = new Range();
  range.setStart(signs[start][0], signs[start][1]);
  range.setEnd(signs[end - 1][0], signs[end - 1][2]);
  return range;
};

{
  const form = document.getElementById('rating');
  const blocks = [...(form ? form.querySelectorAll('.marking') : [])];
  const names = ['first', 'second'].filter(textNamed);
  // Of the question that one is at, or the only one that there is.
  const live = () => blocks.find((each) => each.closest('fieldset.here')) || (blocks.length === 1 ? blocks[0] : null);
  const hidden = (block) => block.querySelector('input[type=hidden]');
  const read = (block) => { try { return JSON.parse(hidden(block).value) || []; } catch { return []; } };
  const write = (block, spans) => {
    hidden(block).value = JSON.stringify(spans);
    hidden(block).dispatchEvent(new Event('input', {bubbles: true}));
    show(block);
  };
  const range = (span) => spanRange(textNamed(span.text), span.start, span.end);

  // Cells and paragraphs that a span goes over are told apart by a blank.
  const words = (found) => {
    const copy = found.cloneContents();
    for (const each of copy.querySelectorAll('td, th, p, li, br, h1, h2, h3, h4, h5, h6')) each.before(' ');
    return copy.textContent.replace(/\s+/g, ' ').trim();
  };

  // What is marked is listed below the labels, and coloured in the text where the browser can.
  const paint = (block) => {
    if (!window.Highlight) return;
    for (let label = 0; label < 9; label += 1) {
      const own = block ? read(block).filter((each) => each.label === label).map(range).filter(Boolean) : [];
      CSS.highlights.set(`label-${label}`, new Highlight(...own));
    }
  };
  const show = (block) => {
    const list = block.querySelector('.spans');
    const known = read(block);
    list.replaceChildren(...known.map((span, at) => {
      const line = block.querySelector('template').content.cloneNode(true).firstElementChild;
      const found = range(span);
      line.querySelector('q').textContent = found ? words(found) : span.words;
      line.querySelector('.in').textContent = block.dataset[span.text] || '';
      const label = line.querySelector('select');
      const why = line.querySelector('textarea');
      label.value = span.label;
      why.value = span.comment || '';
      const change = (what) => { known[at] = {...known[at], ...what}; hidden(block).value = JSON.stringify(known); paint(block); };
      label.addEventListener('change', () => change({label: Number(label.value)}));
      why.addEventListener('input', () => change({comment: why.value}));
      line.querySelector('.go').addEventListener('click', () => found && look(found));
      line.querySelector('.drop').addEventListener('click', () => {
        write(block, known.filter((_, other) => other !== at));
        (block.querySelectorAll('.drop')[Math.min(at, known.length - 2)] || block.querySelector('.label')).focus();
      });
      return line;
    }));
    paint(block);
  };
  const look = (found) => {
    const at = found.startContainer.parentElement;
    at.scrollIntoView({block: 'nearest'});
    getSelection().setBaseAndExtent(found.startContainer, found.startOffset, found.endContainer, found.endOffset);
  };

  // By which words the server knows that it counts the same: all of them, or both ends.
  const told = (found) => {
    const signs = withoutBlanks(found.toString());
    return (signs.length > 80 ? [...signs.slice(0, 40), ...signs.slice(-40)] : signs).join('');
  };
  // What is selected, if it is in one text; what is selected beyond it does not count.
  const selected = () => {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const own = selection.getRangeAt(0);
    const touched = names.filter((name) => {
      const whole = new Range();
      whole.selectNodeContents(textNamed(name));
      return own.compareBoundaryPoints(Range.END_TO_START, whole) < 0 && own.compareBoundaryPoints(Range.START_TO_END, whole) > 0;
    });
    if (touched.length !== 1) return null;
    const text = textNamed(touched[0]);
    const inside = (node, offset, otherwise) => (text.contains(node) ? counted(text, node, offset) : otherwise);
    const start = inside(own.startContainer, own.startOffset, 0);
    const end = inside(own.endContainer, own.endOffset, seenIn(text).length);
    return start < end ? {text: touched[0], start, end, words: told(spanRange(text, start, end))} : null;
  };
  const say = (block, words) => { block.querySelector('.mode').textContent = words; };
  const mark = (block, label) => {
    const found = selected();
    if (!found) {
      say(block, block.dataset.pick);
      return;
    }
    const known = read(block);
    const same = (each) => each.text === found.text && each.start === found.start && each.end === found.end;
    if (!known.some((each) => same(each) && each.label === label)) write(block, [...known, {...found, label, comment: ''}]);
    say(block, cursor ? block.querySelector('.mode').dataset.mode : '');
    if (!cursor) getSelection().removeAllRanges();
  };

  // By keyboard: words and sentences as the language has them, one text after the other.
  let cursor = null; // {name, from, to}: the first and the last word that are selected
  const cut = {}; // by the name of a text, its nodes, words and sentences
  const BLOCK = 'p, li, td, th, h1, h2, h3, h4, h5, h6, pre';
  const units = (name) => {
    if (cut[name]) return cut[name];
    const text = textNamed(name);
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const nodes = [];
    let whole = '';
    let block = null;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const own = node.parentElement.closest(BLOCK);
      if (own !== block) whole += '\n\n';
      block = own;
      nodes.push([whole.length, node]);
      whole += node.data;
    }
    const parts = (granularity) => [...new Intl.Segmenter(text.lang, {granularity}).segment(whole)];
    const words = parts('word').filter((each) => each.isWordLike).map((each) => [each.index, each.index + each.segment.length]);
    const sentences = [];
    let at = 0;
    for (const each of parts('sentence')) {
      const first = at;
      while (at < words.length && words[at][0] < each.index + each.segment.length) at += 1;
      if (at > first) sentences.push([first, at - 1]);
    }
    cut[name] = {nodes, words, sentences, whole};
    return cut[name];
  };
  const nodeAt = (nodes, index) => nodes.findLast(([start]) => start <= index);
  // A sentence is selected with the mark that ends it, a word by itself.
  const select = () => {
    const {nodes, words, sentences, whole} = units(cursor.name);
    const [start] = words[cursor.from];
    let end = words[cursor.to][1];
    const closes = sentences.some(([, last]) => last === cursor.to) && sentences.some(([first]) => first === cursor.from);
    if (closes) end += /^[^\s\p{L}\p{N}[(（【]*/u.exec(whole.slice(end))[0].length;
    const [begin, first] = nodeAt(nodes, start);
    const [stop, last] = nodeAt(nodes, end - 1);
    getSelection().setBaseAndExtent(first, start - begin, last, Math.min(end - stop, last.length));
    last.parentElement.scrollIntoView({block: 'nearest'});
  };
  const step = (way, whole, more) => {
    const {words, sentences} = units(cursor.name);
    const within = (number, list) => Math.max(0, Math.min(list.length - 1, number));
    const edge = way > 0 || more ? cursor.to : cursor.from;
    const here = sentences.findIndex(([first, last]) => first <= edge && edge <= last);
    const [first, last] = sentences[here];
    if (whole && more) cursor.to = Math.max(cursor.from, sentences[way > 0 && edge < last ? here : within(here + way, sentences)][1]);
    else if (whole) {
      const already = cursor.from === first && cursor.to === last;
      [cursor.from, cursor.to] = sentences[already ? within(here + way, sentences) : here];
    } else {
      cursor.to = within(edge + way, words);
      cursor.from = more ? Math.min(cursor.from, cursor.to) : cursor.to;
    }
    select();
  };
  // Where the reader is: at the first word of the first block that is on the screen.
  const begin = (name) => {
    const {nodes, words} = units(name);
    if (!words.length) return;
    const text = textNamed(name);
    const top = Math.max(0, document.getElementById('texts').getBoundingClientRect().top);
    const block = [...text.querySelectorAll(BLOCK)].find((each) => each.getBoundingClientRect().bottom > top + 4) || text;
    const found = nodes.find(([, each]) => block.contains(each));
    const word = words.findIndex(([start]) => start >= (found ? found[0] : 0));
    cursor = {name, from: Math.max(0, word), to: Math.max(0, word)};
    select();
  };
  const overlaps = (one, other) => one.text === other.text && one.start < other.end && other.start < one.end;
  const MOVES = {
    ArrowRight: [1, false], ArrowLeft: [-1, false], ArrowDown: [1, true], ArrowUp: [-1, true],
  };
  // Whether a digit can mean a label and nothing else, of the question that one is at.
  const takesNoOther = (block) => block.closest('fieldset.here') && !block.closest('fieldset').querySelector('.menu');
  const inMode = (block, event) => {
    const mode = block.querySelector('.mode');
    if (event.key in MOVES) step(...MOVES[event.key], event.shiftKey);
    else if (event.key === 'o') begin(names.find((each) => each !== cursor.name) || cursor.name);
    else if (event.key === 'c') { const all = block.querySelectorAll('.span textarea'); if (all.length) all[all.length - 1].focus(); }
    else if (event.key === 'Delete' || event.key === 'Backspace') {
      const found = selected();
      write(block, read(block).filter((each) => !found || !overlaps(each, found)));
    } else if (event.key === 'Escape') {
      cursor = null;
      say(block, '');
      getSelection().removeAllRanges();
      return false; // the questions take over
    } else return false;
    if (cursor) say(block, mode.dataset.mode);
    return true;
  };
  addEventListener('keydown', (event) => {
    const block = live();
    if (!block || event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches('textarea, select, .line input')) return;
    const button = block.querySelectorAll('.label')[Number(event.key) - 1];
    let done = true;
    if (event.key === 'm' && !cursor && Intl.Segmenter) {
      begin(names[0]);
      if (cursor) say(block, block.querySelector('.mode').dataset.mode);
    } else if (/^[1-9]$/.test(event.key) && button && (selected() || takesNoOther(block))) mark(block, Number(event.key) - 1);
    else done = Boolean(cursor) && inMode(block, event);
    if (!done) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  for (const block of blocks) {
    block.querySelectorAll('.label').forEach((each, label) => {
      each.addEventListener('mousedown', (event) => event.preventDefault()); // what is selected stays so
      each.addEventListener('click', () => mark(block, label));
    });
    block.addEventListener('spans', () => show(block));
  }
  if (form) form.addEventListener('current', () => paint(live()));
  // On a narrow screen the labels are far below the words: they come up while some are selected.
  document.addEventListener('selectionchange', () => {
    const selection = getSelection();
    const within = !selection.isCollapsed && names.some((name) => selection.containsNode(textNamed(name), true));
    for (const block of blocks) block.querySelector('.labels').classList.toggle('near', within && block === live());
  });
}
