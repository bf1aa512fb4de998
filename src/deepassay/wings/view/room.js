// What only a server can do: a filter that sends itself, and a run that is being written.

const live = document.getElementById('live');

// A menu of the filter sends itself; what is empty is left out of the address.
const listen = () => {
  const filter = document.getElementById('filter');
  if (!filter) return;
  const bare = () => [...filter.elements].forEach((each) => { each.disabled = each.name && !each.value; });
  filter.addEventListener('submit', bare);
  filter.addEventListener('change', (event) => { if (event.target.matches('select')) filter.requestSubmit(); });
};
addEventListener('pageshow', () => document.querySelectorAll('#filter :disabled').forEach((each) => { each.disabled = false; }));
listen();

// A run that is being written: what is new is shown, unless somebody is writing on the page.
const renew = async () => {
  const busy = () => typing(document.activeElement) && main.contains(document.activeElement);
  const found = busy() ? null : await fetch(location.href);
  if (found && !found.ok) return;
  const fresh = found && new DOMParser().parseFromString(await found.text(), 'text/html');
  if (busy()) {
    live.textContent = 'There are new scores.';
    return;
  }
  const open = [...main.querySelectorAll('details')].map((each) => each.open);
  main.replaceChildren(...fresh.getElementById('main').childNodes);
  document.body.dataset.seen = fresh.body.dataset.seen;
  const details = [...main.querySelectorAll('details')];
  if (details.length === open.length) details.forEach((each, at) => { each.open = open[at]; });
  lit(rows()[current], true);
  listen();
  live.textContent = `${parseInt(fresh.body.dataset.seen)} scores`;
  setTimeout(() => { live.textContent = ''; }, 1500);
};
const look = async () => {
  try {
    if (!document.hidden) {
      const pulse = await fetch(`/pulse?seen=${encodeURIComponent(document.body.dataset.seen)}`);
      if (pulse.status === 200) await renew();
    }
  } catch {
    // The server was stopped; it may come back.
  }
  setTimeout(look, 500);
};
look();
