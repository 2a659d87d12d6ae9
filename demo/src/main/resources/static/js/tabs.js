/** Shows the view of the element in the URL (`#gallery`, `#exhibit-setnx`). Hidden views continue in the background. */
const views = [...document.querySelectorAll('.view')];

export function followAddress() {
  addEventListener('hashchange', show);
  show();
}

function show() {
  const target = document.getElementById(location.hash.slice(1));
  const shown = target?.closest('.view') ?? views[0];
  for (const view of views) {
    view.hidden = view !== shown;
  }
  document.body.dataset.view = shown.id;
  for (const link of document.querySelectorAll('.tabs a')) {
    if (link.hash === `#${shown.id}`) {
      link.setAttribute('aria-current', 'page');
    } else {
      link.removeAttribute('aria-current');
    }
  }
  if (target && target !== shown) {
    target.scrollIntoView();
  }
}
