'use strict';
// Keys, and what leads from words to findings: a convenience, everything is a link all the same.

const main = document.getElementById('main');
const ROWS = 'tr[data-go], .hits > li, .reading .card, .list .finding, .list .brief, .aligned tbody tr';
let current = -1;

const rows = () => [...main.querySelectorAll(ROWS)].filter((row) => row.checkVisibility());
const lit = (row, on) => row && row.classList.toggle(row.matches('.card') ? 'lit' : 'here', on);

const move = (step) => {
  const all = rows();
  if (!all.length) return;
  lit(all[current], false);
  current = Math.max(0, Math.min(all.length - 1, current < 0 && step < 0 ? all.length - 1 : current + step));
  lit(all[current], true);
  all[current].scrollIntoView({block: 'nearest'});
};

const follow = (selector) => {
  const link = document.querySelector(selector);
  if (link) link.click();
  return Boolean(link);
};

const typing = (target) => target.matches('input, select, textarea, [contenteditable]');

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  n: () => follow('a[rel=next]'),
  p: () => follow('a[rel=prev]'),
  u: () => follow('a[rel=up]') || follow('.room'),
  '/': () => document.querySelector('.find input').focus(),
  Enter: () => {
    const row = rows()[current];
    const link = row && (row.querySelector('a.go') || row.querySelector('.source a') || row.querySelector('a'));
    if (link) link.click();
  },
  c: () => {
    const row = rows()[current];
    const link = row && row.querySelector('.to a[href^="/note"]');
    if (link) link.click(); else follow('.beside a[href^="/note"]');
  },
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape' && typing(event.target)) event.target.blur();
  if (typing(event.target) || (event.key === 'Enter' && event.target.matches('a, button, summary'))) return;
  const act = KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

// From words of the report to what is said of them.
document.addEventListener('click', (event) => {
  const mark = event.target.closest('mark[data-m]');
  if (!mark || event.target.closest('a')) return;
  const card = main.querySelector(`[data-for="${CSS.escape(mark.dataset.m)}"]`);
  main.querySelectorAll('.lit').forEach((each) => each.classList.remove('lit'));
  if (card) {
    card.classList.add('lit');
    card.scrollIntoView({block: 'nearest'});
    current = rows().indexOf(card);
  }
});

// A finding that is led to may be folded.
const unfold = () => {
  const found = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let each = found && found.closest('details'); each; each = each.parentElement.closest('details')) each.open = true;
  if (found && found.closest('details')) found.scrollIntoView();
};
addEventListener('hashchange', unfold);
unfold();
