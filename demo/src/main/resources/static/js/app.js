import { apply, arrived, newState, setConnected, setRefused, settle, tick } from './model.js';
import { listen } from './stream.js';
import { Timeline } from './timeline.js';
import { Controls } from './controls.js';
import { Gallery } from './gallery.js';
import { openSale } from './sale.js';
import { followAddress } from './tabs.js';
import { showFigures, showLog, showResults, showStatus } from './views.js';

/** Changed by events, and rendered in the next frame. */
const state = newState();
const calm = matchMedia('(prefers-reduced-motion: reduce)');
let scheduled = false;

setInterval(() => {
  if (state.run?.running && state.connected) {
    tick(state, performance.now());
    schedule();
  }
}, 100);

const timeline = new Timeline(schedule);
const controls = new Controls(state);
const gallery = new Gallery(state);
openSale();
followAddress();

listen({
  onEvents(events) {
    for (const event of events) {
      apply(state, event);
    }
    arrived(state, performance.now());
    schedule();
  },
  onConnection(connected) {
    setConnected(state, connected);
    schedule();
  },
  onRefused(reason) {
    setRefused(state, reason);
    schedule();
  },
});

for (const button of document.querySelectorAll('[data-zoom]')) {
  button.addEventListener('click', () => timeline.zoom(button.dataset.zoom));
}

function schedule() {
  if (!scheduled) {
    scheduled = true;
    if (calm.matches && state.run?.running) {
      setTimeout(show, 500);
    } else {
      requestAnimationFrame(show);
    }
  }
}

function show() {
  scheduled = false;
  settle(state);
  controls.show();
  showStatus(state);
  showFigures(state.run);
  timeline.show(state.run, state.instances);
  showResults(state);
  showLog(state);
  gallery.show();
}

schedule();
