import * as api from './api.js';
import { setText } from './views.js';

const element = id => document.getElementById(id);
const DESCRIPTIONS = {
  v0: 'Redis adds one itself. The control: it needs no lock.',
  v1: 'Read, add one, write. Nobody waits for anybody.',
  v2: 'One thread at a time, in each JVM by itself.',
  v3: '@DistributedLock: one at a time over all instances.',
  v4: 'The same annotation, the lock on 5 Redis servers.',
};
const TOPOLOGIES_WITH_FAILOVER = ['master-replica', 'sentinel', 'cluster'];
const FAILOVERS = ['fail-over', 'fail-over-twice'];

const ELSEWHERE = 'It runs in an application that was started with java -jar lock-demo.jar, on the machine in front of you.';

export class Controls {
  #state;
  #variants = '';
  /** Whether the message asks the user to wait, and is outdated once a run can start. */
  #waits = false;
  /** The run to start after the set-up. */
  #next = null;

  constructor(state) {
    this.#state = state;
    element('deployment-form').addEventListener('submit', event => {
      event.preventDefault();
      this.#send(() => api.setUp(element('instances').valueAsNumber, element('topology').value));
    });
    element('take-down').addEventListener('click', () => this.#send(api.takeDown));
    element('cancel').addEventListener('click', () => this.#send(api.cancelRun));
    element('variants').addEventListener('click', event => {
      const variant = event.target.closest('button')?.dataset.variant;
      if (variant) {
        this.#run(variant);
      }
    });
    for (const button of document.querySelectorAll('[data-fault]')) {
      button.addEventListener('click', () => this.#send(() => this.#perform(button.dataset.fault)));
    }
  }

  show() {
    const state = this.#state;
    const ready = state.connected && state.phase === 'ready';
    const running = Boolean(state.run?.running);
    const playing = Boolean(state.gallery?.running);
    const settled = ['ready', 'failed', 'absent'].includes(state.phase);
    element('set-up').disabled = !state.connected || !settled || running || playing;
    setText(element('set-up'), state.phase === 'ready' ? 'Set up again' : 'Set up');
    element('take-down').disabled = !state.connected || !['ready', 'failed'].includes(state.phase) || playing;
    element('cancel').disabled = !running;
    if (this.#waits && ready && !running && !playing) {
      this.#complain('');
    }
    this.#runNext(ready && !running && !playing);
    this.#showVariants(state.connected && ['ready', 'absent', 'failed'].includes(state.phase) && !running && !playing);
    this.#showFaults(ready && running);
    this.#showDeployment();
  }

  #showVariants(enabled) {
    const { variants, run } = this.#state;
    const key = JSON.stringify([variants, enabled, run?.id, run?.running, this.#next?.variant]);
    if (key === this.#variants) {
      return;
    }
    this.#variants = key;
    const focused = document.activeElement?.dataset?.variant;
    element('variants').replaceChildren(...variants.map(variant => this.#variantButton(variant, enabled)));
    if (focused) {
      document.querySelector(`[data-variant="${focused}"]`)?.focus();
    }
  }

  #variantButton({ id, name }, enabled) {
    const button = document.createElement('button');
    button.type = 'button';
    button.dataset.variant = id;
    button.setAttribute('aria-disabled', String(!enabled));
    const running = this.#next?.variant === id || (this.#state.run?.running && this.#state.run.variant === id);
    button.classList.toggle('running', Boolean(running));
    const title = document.createElement('b');
    title.textContent = `${running ? '▶ ' : ''}${id} ${name}`;
    const text = document.createElement('span');
    text.textContent = DESCRIPTIONS[id] ?? '';
    button.append(title, text);
    return button;
  }

  #showFaults(possible) {
    const { run } = this.#state;
    const locked = run?.variant === 'v3' || run?.variant === 'v4';
    for (const button of document.querySelectorAll('[data-fault]')) {
      const { fault } = button.dataset;
      const beside = fault === 'move-clock' && run?.variant !== 'v4';
      button.disabled = !possible || !locked || beside || !this.#isPossible(fault);
    }
    for (const option of document.querySelectorAll('#fault option')) {
      option.disabled = !this.#isPossible(option.value);
      if (option.disabled && option.selected) {
        element('fault').value = '';
      }
    }
    const hint = possible && locked
      ? 'These act at once on who holds the lock, or on the lock’s Redis.'
      : 'While v3 or v4 runs, these act on who holds the lock, or on the lock’s Redis. Failover needs replicas, moving a clock needs v4.';
    setText(element('faults-hint'), hint);
  }

  #isPossible(fault) {
    return !FAILOVERS.includes(fault) || TOPOLOGIES_WITH_FAILOVER.includes(this.#state.topology);
  }

  #showDeployment() {
    const { refused, phase, failure, topology, instances, progress } = this.#state;
    const text = {
      absent: 'Nothing runs yet. The first run, or this button, starts Redis servers, application instances and a reverse proxy on this machine; taking down ends them.',
      starting: ['Starting Redis servers, application instances and a reverse proxy …', ...progress].join('\n'),
      stopping: 'Ending everything that was started …',
      failed: failure ?? 'The set-up failed; the application’s log says why.',
      ready: `${instances.length} instances behind a reverse proxy; the lock’s Redis: ${topology}; for Redlock five more servers.`,
    }[phase];
    setText(element('deployment'), refused ? `${refused} ${ELSEWHERE}` : text ?? '');
    element('deployment').classList.toggle('wrong', phase === 'failed');
  }

  async #run(variant) {
    if (document.querySelector(`[data-variant="${variant}"]`).getAttribute('aria-disabled') === 'true') {
      return this.#complain(this.#obstacle(), true);
    }
    const fault = ['v3', 'v4'].includes(variant) && element('fault').value;
    const run = { variant, requests: element('requests').valueAsNumber, fault: fault || undefined };
    await this.#send(() => (this.#state.phase === 'ready' ? this.#start(run) : this.#setUpFor(run)));
    return undefined;
  }

  /** Scrolls on narrow pages, where the results are far below the buttons. */
  async #start({ variant, requests, fault }) {
    await api.startRun(variant, requests, fault);
    if (matchMedia('(max-width: 40rem)').matches) {
      document.querySelector('[aria-labelledby="figures-title"]').scrollIntoView();
    }
  }

  async #setUpFor(run) {
    const { phase } = await api.setUp(element('instances').valueAsNumber, element('topology').value);
    this.#state.phase = phase;
    this.#next = run;
  }

  #runNext(possible) {
    const next = this.#next;
    if (next && (possible || ['failed', 'stopping'].includes(this.#state.phase))) {
      this.#next = null;
      if (possible) {
        this.#send(() => this.#start(next));
      }
    }
  }

  /** Why no run can start now. */
  #obstacle() {
    const { phase, gallery } = this.#state;
    if (gallery?.running) {
      return 'An exhibit of the gallery is being played; wait for it or stop it.';
    }
    if (phase === 'ready') {
      return 'A run is in progress; wait for it or cancel it.';
    }
    return phase === 'starting' ? 'The set-up is in progress; wait for it.' : 'The servers are being ended; wait for it.';
  }

  /** Retries, since there is no holder to hit between two sections. */
  async #perform(name, attempts = 20) {
    try {
      await api.perform(name, element('pause').value);
    } catch (problem) {
      if (problem.status !== 409 || attempts === 1 || !this.#state.run?.running) {
        throw problem;
      }
      await new Promise(resolve => setTimeout(resolve, 50));
      await this.#perform(name, attempts - 1);
    }
  }

  async #send(request) {
    this.#complain('');
    try {
      await request();
    } catch (problem) {
      this.#complain(problem.message);
    }
  }

  #complain(sentence, waits = false) {
    this.#waits = waits;
    const problem = element('problem');
    problem.textContent = sentence;
    problem.hidden = !sentence;
  }
}
