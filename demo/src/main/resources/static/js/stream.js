import { readState } from './api.js';

const TYPES = ['state', 'run-started', 'held', 'released', 'waiting', 'counter', 'lost', 'interference', 'run-finished', 'gallery', 'progress'];
const FIRST_DELAY = 500;
const LONGEST_DELAY = 8000;

/**
 * Listens to the experiment's events for as long as the page is open. Calls onEvents with an array of them, oldest first,
 * and onConnection with true or false. An EventSource gives up for good when the answer is not an event stream (the
 * application restarts, a proxy answers 502); then a new one is opened, after a delay that doubles up to 8 s. It does not tell
 * why, so then the state is asked for: onRefused gets the sentence when the application offers no experiment.
 */
export function listen({ onEvents, onConnection, onRefused }) {
  let delay = FIRST_DELAY;
  const open = () => {
    const source = new EventSource('experiment/events');
    source.addEventListener('open', () => {
      delay = FIRST_DELAY;
      onConnection(true);
    });
    source.addEventListener('error', () => {
      onConnection(false);
      if (source.readyState === EventSource.CLOSED) {
        askWhy(onRefused);
        setTimeout(open, delay);
        delay = Math.min(delay * 2, LONGEST_DELAY);
      }
    });
    source.addEventListener('batch', message => onEvents(JSON.parse(message.data)));
    for (const type of TYPES) {
      source.addEventListener(type, message => onEvents([{ ...JSON.parse(message.data), type }]));
    }
  };
  open();
}

async function askWhy(onRefused) {
  try {
    await readState();
  } catch (problem) {
    if (problem.status === 403 || problem.status === 404) {
      onRefused(problem.message);
    }
  }
}
