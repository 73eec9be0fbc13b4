// SPDX-License-Identifier: Apache-2.0
// Keeps a page up to date while somebody looks at it. The page works whole without it.
'use strict';

const { events, parts } = document.body.dataset;
const watched = new Set(parts.split(' ').filter(Boolean));

// How the page is told of changes, for whoever reads it.

function say(text, isLive) {
  const place = document.getElementById('standing');
  if (!place || place.textContent === text) return;
  place.textContent = text;
  place.classList.toggle('lost', !isLive);
}

// Bringing one part of the page to what a new one says. What is ticked, typed, chosen, folded out or
// scrolled, and what has the focus or is selected, belongs to the reader and is left alone: elements
// stay, and only what differs is touched.

// By attributes: the property `id` of a form is its field of that name.
const nameOf = (node) => (node.nodeType === Node.ELEMENT_NODE
  ? node.getAttribute('data-key') || node.getAttribute('id') || '' : '');

const isSame = (one, other) => one.nodeName === other.nodeName && nameOf(one) === nameOf(other);

const readersOwn = new Set(['open', 'checked', 'value', 'selected']);

function bring(node, wanted) {
  if (node.isEqualNode(wanted)) return;
  if (node.nodeType !== Node.ELEMENT_NODE) {
    node.data = wanted.data;
    return;
  }
  const isHidden = node.type === 'hidden';
  for (const { name } of [...node.attributes]) {
    if (!wanted.hasAttribute(name) && !readersOwn.has(name)) node.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    const isReaders = readersOwn.has(name) && !isHidden;
    if (!isReaders && node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  bringChildren(node, wanted);
}

function bringChildren(node, wanted) {
  // Rows that have gone are removed first, so that those that stay never have to be moved, which
  // would cost them the focus.
  const names = new Set([...wanted.childNodes].map(nameOf));
  for (const child of [...node.childNodes]) {
    const name = nameOf(child);
    if (name && !names.has(name)) child.remove();
  }
  let place = node.firstChild;
  for (const child of [...wanted.childNodes]) {
    if (place && isSame(place, child)) {
      bring(place, child);
      place = place.nextSibling;
      continue;
    }
    const name = nameOf(child);
    const known = name && [...node.children].find((one) => isSame(one, child));
    if (known) {
      node.insertBefore(known, place);
      bring(known, child);
    } else {
      node.insertBefore(child, place);
    }
  }
  while (place) {
    const gone = place;
    place = place.nextSibling;
    gone.remove();
  }
}

// The part of this page that a part of a new one is; those without a name, such as the search, have
// a class of their own.
function knownPart(main, fresh) {
  const name = nameOf(fresh);
  return [...main.children].find((one) => nameOf(one) === name
    && (name || one.className === fresh.className));
}

function take(page) {
  const focused = document.activeElement;
  const { scrollX, scrollY } = window;
  const main = document.getElementById('main');
  const wanted = [...page.getElementById('main').children];
  // Sections come and go with what there is to show.
  const names = new Set(wanted.map(nameOf));
  for (const node of main.querySelectorAll(':scope > [data-live]')) {
    if (!names.has(nameOf(node))) node.remove();
  }
  bring(document.getElementById('head'), page.getElementById('head'));
  let last = null;
  for (const fresh of wanted) {
    const isLive = fresh.hasAttribute('data-live');
    const known = knownPart(main, fresh);
    if (isLive && known) bring(known, fresh);
    // A part that is new stands where it does on the new page.
    else if (isLive && last) last.after(fresh);
    else if (isLive) main.prepend(fresh);
    last = known ?? (isLive ? fresh : last);
  }
  // What had the focus may have gone, such as a dead letter that somebody else has discarded.
  if (focused !== document.body && !focused.isConnected) main.focus({ preventScroll: true });
  window.scrollTo(scrollX, scrollY);
}

// Whether it is a page of this dashboard: a proxy may answer with one that asks to sign in.
const isOwn = (page) => page.body.dataset.events === events && page.getElementById('main');

const refreshing = { isUnderWay: false, isAgain: false };

/** Fetches the page once for all that happens while it is on its way. */
async function refresh() {
  if (refreshing.isUnderWay) {
    refreshing.isAgain = true;
    return;
  }
  refreshing.isUnderWay = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (answer.ok && !answer.redirected && isOwn(page)) {
      take(page);
      // An earlier one may have failed while the stream went on.
      if (source?.readyState === EventSource.OPEN) say('Live', true);
    } else {
      say('This page is not up to date any more.', false);
    }
  } catch {
    say('The dashboard cannot be reached.', false);
  } finally {
    refreshing.isUnderWay = false;
    if (refreshing.isAgain) {
      refreshing.isAgain = false;
      refresh();
    }
  }
}

let soon = 0;

/** Fetches the page within a second: not all that are open at once. */
function refreshSoon() {
  if (soon) return;
  soon = setTimeout(() => {
    soon = 0;
    refresh();
  }, Math.random() * 1_000);
}

// A page that nobody sees listens to nothing: a browser has few connections to spend.

let source = null;
let isFirst = true;
let retry = 0;

function listen() {
  clearTimeout(retry);
  if (source || document.hidden || !watched.size) return;
  source = new EventSource(events);
  source.addEventListener('open', () => {
    say('Live', true);
    if (!isFirst) refreshSoon();
    isFirst = false;
  });
  source.addEventListener('change', (event) => {
    if (JSON.parse(event.data).parts.some((part) => watched.has(part))) refreshSoon();
  });
  // No stream goes on for ever; the next one takes its place.
  source.addEventListener('again', () => {
    leave();
    listen();
  });
  source.addEventListener('error', () => {
    say('Not live: trying again', false);
    // The browser opens a stream again that broke, but not one that was refused.
    if (source?.readyState !== EventSource.CLOSED) return;
    leave();
    retry = setTimeout(listen, 10_000);
  });
}

function leave() {
  source?.close();
  source = null;
}

document.addEventListener('visibilitychange', () => (document.hidden ? leave() : listen()));
addEventListener('pagehide', leave);
// A page from the browser's memory may have an old token.
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });

listen();
