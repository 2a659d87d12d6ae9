import { readState } from './api.js';

const TYPES = ['state', 'run-started', 'held', 'released', 'waiting', 'counter', 'lost', 'interference', 'run-finished', 'gallery', 'progress'];
const FIRST_DELAY = 500;
const LONGEST_DELAY = 8000;

/**
 * Receives events while the page is open: onEvents gets arrays, oldest first, and onConnection true or false. An EventSource
 * stops if the response is not an event stream (the application restarts, a proxy answers 502), without a reason. It is then
 * reopened after a delay that doubles up to 8 s, and a request for the state finds the reason: onRefused gets the message if the
 * application offers no experiment.
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
