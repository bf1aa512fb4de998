'use strict';
// The address that a rater is given ends in #KEY, which no server and no log sees; it is sent in a form.
const enter = document.getElementById('enter');
const knock = () => {
  if (!enter || location.hash.length < 2) return;
  enter.elements.token.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  enter.submit();
};
knock();
addEventListener('hashchange', knock); // a second address in the same tab loads no page

// A draft is forgotten once another page shows that what was sent has arrived.
const sent = localStorage.getItem('assay-sent');
const rating = document.getElementById('rating');
if (sent && (document.getElementById('done') || (rating && `assay-${rating.dataset.draft}` !== sent))) {
  localStorage.removeItem(sent);
  localStorage.removeItem('assay-sent');
}

const form = document.getElementById('rating');
if (form) {
  const questions = [...form.querySelectorAll('fieldset')];
  const problem = document.getElementById('problem');
  const began = performance.now();
  let before = 0; // seconds, until the page was loaded again
  const draft = `assay-${form.dataset.draft}`;
  let current = 0;
  let typed = '';

  const chosen = (question) => question.querySelector('input:checked');
  const boxes = (within) => [...within.querySelectorAll('textarea, select, .line input')]
    .filter((each) => each.checkVisibility() && !each.closest('.span'));
  // What is still to be done in a question: a choice, or a box that may not stay empty.
  const missing = (question) => {
    const choice = chosen(question);
    if (question.querySelector('input[type=radio]') && !choice) return question.querySelector('input');
    const lines = [...question.querySelectorAll('.line')].map(boxes).filter((each) => each.length);
    const begun = lines.filter((each) => each.some((box) => box.value.trim()));
    const short = begun.length < (choice ? choice.dataset.version === 'must' : question.dataset.least);
    const looked = short ? lines.slice(0, begun.length + 1) : begun;
    const box = looked.flat().find((each) => each.hasAttribute('data-required') && !each.value.trim())
      || looked.flat().find((each) => !each.checkValidity());
    const comment = question.querySelector('.comment textarea');
    const marking = question.querySelector('.marking');
    if (marking && JSON.parse(marking.querySelector('input').value || '[]').length < marking.dataset.least)
      return marking.querySelector('button');
    const unsaid = [...question.querySelectorAll('.span:has(option[data-comment=must]:checked) textarea')]
      .find((each) => !each.value.trim());
    if (unsaid) return unsaid;
    const silent = choice && choice.dataset.comment === 'must' && !comment.value.trim();
    return box || (silent ? comment : null);
  };

  const go = (number, shown = true) => {
    current = Math.max(0, Math.min(questions.length - 1, number));
    typed = '';
    questions.forEach((each, at) => each.classList.toggle('here', at === current));
    const question = questions[current];
    (chosen(question) || question.querySelector('input[type=radio], input[type=checkbox]') || question).focus({preventScroll: true});
    if (shown) question.scrollIntoView({block: 'nearest'});
    highlight(question.dataset.quote, shown);
  };

  // The report scrolls from wherever the keyboard is.
  const texts = document.getElementById('texts');
  const scroll = (way) => {
    const what = texts.scrollHeight > texts.clientHeight ? texts : document.scrollingElement;
    what.scrollBy(0, way * 0.85 * innerHeight);
  };

  // One line more, below those that there are; null where there may be no more.
  const add = (within) => {
    const button = within && within.closest('fieldset').querySelector('.add');
    const count = button ? button.parentElement.querySelectorAll('.line').length : Infinity;
    if (!button || count >= button.dataset.most) return null;
    const fresh = button.parentElement.querySelector('template').content.cloneNode(true).firstElementChild;
    for (const each of fresh.querySelectorAll('[name]')) each.name = each.name.replace('.LINE.', `.${count}.`);
    fresh.ariaLabel = fresh.ariaLabel.replace('LINE', count + 1);
    button.before(fresh);
    return fresh;
  };
  const write = (question, box) => {
    const first = box || boxes(question)[0];
    if (first) first.focus();
  };

  // What was not saved yet survives a reload, a closed window and a restart of the server.
  const keep = () => {
    form.elements.seconds.value = (before + (performance.now() - began) / 1000).toFixed(1);
    const answers = [...new FormData(form)].filter(([name]) => /^(q\d+[.\w]*|note|seconds)$/.test(name));
    localStorage.setItem(draft, JSON.stringify(Object.fromEntries(answers)));
  };
  const restore = () => {
    let kept = {};
    try { kept = JSON.parse(localStorage.getItem(draft) || '{}'); } catch { return; }
    before = Number(kept.seconds) || 0;
    for (const [name, value] of Object.entries(kept)) {
      const line = /^(q\d+)\.(\d+)\./.exec(name);
      while (line && !form.elements[name] && add(form.elements[line[1] + '.0' + name.slice(line[0].length - 1)])) ;
      for (const each of form.querySelectorAll('input[type=radio], textarea, select, .line input, .marking > input'))
        if (each.name !== name) continue;
        else if (each.type !== 'radio') each.value = value;
        else if (each.value === value) each.checked = true;
    }
  };

  // The sentence in question, where the server found it.
  const highlight = (quote, shown = true) => {
    form.dispatchEvent(new Event('current'));
    if (!window.Highlight) return;
    CSS.highlights.delete('quote');
    const range = quote && spanRange(textNamed('first'), ...quote.split(' ').map(Number));
    if (!range) return;
    CSS.highlights.set('quote', new Highlight(range));
    if (shown) range.startContainer.parentElement.scrollIntoView({block: 'center'});
  };

  const complete = () => {
    const open = questions.findIndex(missing);
    if (open >= 0) {
      const what = missing(questions[open]);
      problem.textContent = form.dataset.open;
      go(open);
      if (what.type !== 'radio') what.focus();
    }
    return open < 0;
  };
  const save = () => {
    if (!complete()) return;
    keep();
    localStorage.setItem('assay-sent', draft);
    form.submit();
  };
  const back = () => {
    form.action = '/back';
    form.submit();
  };

  form.addEventListener('input', keep);
  form.addEventListener('submit', (event) => {
    if (event.submitter && event.submitter.name === 'back') return;
    event.preventDefault();
    save();
  });
  addEventListener('keydown', (event) => {
    // An input method that is composing, as for Chinese, has its own use for every key.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.ctrlKey && event.key === 'Enter') save();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches('textarea, select, .line input')) {
      if (event.key === 'Escape') go(current);
      return;
    }
    if (event.target.tagName === 'BUTTON' || event.target.tagName === 'SUMMARY' || event.target.tagName === 'A') {
      if (event.key === 'Enter' || event.key === ' ') return;
    }
    const ways = {PageDown: 1, ' ': 1, PageUp: -1};
    if (event.key in ways) {
      scroll(event.key === ' ' && event.shiftKey ? -1 : ways[event.key]);
      event.preventDefault();
      return;
    }
    // Where there are more answers than digits, a digit may be the first of two.
    const presses = [...questions[current].querySelectorAll('input[data-press]')];
    const begun = (text) => presses.filter((each) => each.dataset.press.startsWith(text));
    typed = typed && begun(typed + event.key).length ? typed + event.key : event.key;
    const answer = presses.find((each) => each.dataset.press === typed);
    if (answer && answer.type === 'checkbox') answer.checked = !answer.checked;
    else if (answer) {
      answer.checked = true;
      keep();
      const what = missing(questions[current]);
      const must = answer.dataset.version === 'must' || answer.dataset.comment === 'must';
      if (must) write(questions[current], what);
      else if (begun(typed).length > 1) answer.focus();
      else go(current + 1);
    } else if (event.key === 'e') write(questions[current]);
    else if (event.key === 'a') {
      const fresh = add(questions[current].firstElementChild);
      if (fresh) write(fresh);
    } else if (event.key === 'j') go(current + 1);
    else if (event.key === 'k') go(current - 1);
    else if (event.key === 'n' && form.elements.note) form.elements.note.focus();
    else if (event.key === 'Enter') save();
    else if (event.key === 'z' && form.querySelector('button[name=back]')) back();
    else return;
    event.preventDefault();
  });
  // A choice by mouse, or by the arrow keys, makes its question the current one.
  for (const each of form.querySelectorAll('.add'))
    each.addEventListener('click', () => { const fresh = add(each); if (fresh) write(fresh); });
  questions.forEach((each, at) => each.addEventListener('focusin', () => {
    if (at !== current) {
      current = at;
      typed = '';
      questions.forEach((other, place) => other.classList.toggle('here', place === at));
      highlight(each.dataset.quote);
    }
  }));

  restore();
  for (const each of form.querySelectorAll('.marking')) each.dispatchEvent(new Event('spans'));
  const first = questions.findIndex((each) => missing(each) || (!problem.textContent && each.querySelector('.marking')));
  go(first, innerWidth > 900);
}
