import * as api from './api.js';
import { isHarmed, Outcome, verdictOf } from './exhibit.js';
import { button, node } from './nodes.js';
import { setText } from './views.js';

const element = id => document.getElementById(id);

/** The exhibit that needs no lock. */
const CONTROL = 'incr';

/** Controls and results of the gallery of broken locks. */
export class Gallery {
  #state;
  #exhibits = new Map();
  #ids = '';
  #lastPlayed = null;
  #seedIsChosen = false;

  constructor(state) {
    this.#state = state;
    element('play-all').addEventListener('click', () => this.#play('all'));
    element('stop-playing').addEventListener('click', () => this.#send(api.stopPlaying));
    element('seed').addEventListener('input', () => {
      this.#seedIsChosen = true;
    });
    new ResizeObserver(() => this.#fit()).observe(element('exhibits'));
  }

  show() {
    const { gallery, refused } = this.#state;
    setText(element('gallery-status'), refused ?? this.#status());
    if (!gallery) {
      return;
    }
    this.#showExhibits(gallery.exhibits);
    if (!this.#seedIsChosen && !gallery.running) {
      element('seed').value = gallery.seed;
    }
    const idle = this.#obstacle() === '';
    press(element('play-all'), idle);
    element('stop-playing').disabled = !gallery.running;
    for (const exhibit of gallery.exhibits) {
      const shown = this.#exhibits.get(exhibit.id);
      press(shown.play, idle);
      const running = gallery.running === exhibit.id;
      shown.article.dataset.playing = running;
      this.#showResult(shown, gallery.results.find(result => result.id === exhibit.id));
      setText(shown.play, running ? 'Playing …' : shown.result ? 'Play again' : 'Play');
    }
  }

  #showExhibits(exhibits) {
    const ids = exhibits.map(exhibit => exhibit.id).join();
    if (ids === this.#ids) {
      return;
    }
    this.#ids = ids;
    this.#exhibits = new Map(exhibits.map(exhibit => [exhibit.id, this.#exhibit(exhibit)]));
    element('exhibits').replaceChildren(...[...this.#exhibits.values()].map(shown => shown.article));
    document.querySelector('#overview tbody').replaceChildren(...[...this.#exhibits.values()].map(shown => shown.row));
  }

  #exhibit({ id, title, breaks, flaw, remedy }) {
    const heading = node('h3', '', title);
    const play = button('Play', () => this.#play(id));
    play.dataset.play = id;
    play.setAttribute('aria-label', `Play: ${title}`);
    const outcome = node('div', 'outcome');
    const words = node('div', '', heading, id === CONTROL ? node('p', 'remedy', node('b', '', 'The control: '), flaw) : node('p', 'flaw', node('b', '', 'The flaw: '), flaw), node('p', 'remedy', node('b', '', 'lock-starter: '), remedy));
    const article = node('article', 'panel exhibit', node('div', 'plate', words, play), outcome);
    article.id = `exhibit-${id}`;
    heading.id = `title-${id}`;
    article.setAttribute('aria-labelledby', heading.id);
    const link = node('a', '', title);
    link.href = `#${article.id}`;
    const name = node('th', '', link, node('small', '', breaks));
    name.scope = 'row';
    const row = node('tr', '', name, node('td', '', '–'), node('td', '', '–'));
    return { article, row, play, outcome, title, drawing: new Outcome(), result: null, key: '' };
  }

  #showResult(shown, result) {
    const key = result ? JSON.stringify(result) : '';
    if (key === shown.key) {
      return;
    }
    shown.key = key;
    shown.result = result ?? null;
    const [, broken, ours] = shown.row.children;
    for (const [cell, side] of [[broken, result?.broken], [ours, result?.ours]]) {
      setText(cell, side ? verdictOf(side) : '–');
      cell.className = side ? (isHarmed(side) ? 'wrong' : 'exact') : '';
    }
    if (!result) {
      shown.outcome.replaceChildren();
      return;
    }
    const seed = node('p', 'hint', `Seed ${result.seed}. Numbers refer to the steps.`);
    shown.outcome.replaceChildren(shown.drawing.build(shown.title, result), seed);
    shown.drawing.fit();
  }

  #fit() {
    for (const shown of this.#exhibits.values()) {
      shown.drawing.fit();
    }
  }

  #status() {
    const { gallery } = this.#state;
    if (!gallery) {
      return 'Connecting …';
    }
    if (gallery.running) {
      this.#lastPlayed = gallery.running;
      return `Playing “${this.#title(gallery.running)}”: first the broken lock, then lock-starter …`;
    }
    const result = gallery.results.find(one => one.id === this.#lastPlayed);
    if (gallery.failure) {
      return gallery.failure;
    }
    return result
      ? `${this.#title(result.id)}: ${verdictOf(result.broken)}. lock-starter: ${verdictOf(result.ours)}.`
      : `${gallery.exhibits.length} exhibits. Each plays for some seconds, on servers and processes of its own.`;
  }

  #title(id) {
    return this.#state.gallery.exhibits.find(exhibit => exhibit.id === id)?.title ?? id;
  }

  async #play(id) {
    const obstacle = this.#obstacle();
    const seed = element('seed');
    if (obstacle || !seed.reportValidity()) {
      return obstacle && this.#complain(obstacle);
    }
    return this.#send(() => this.#begin(id, seed.valueAsNumber));
  }

  /** Retries, since the end of a plan is reported just before the next one can start. */
  async #begin(id, seed, attempts = 10) {
    try {
      await api.play(id, seed);
    } catch (problem) {
      if (problem.status !== 409 || attempts === 1 || this.#obstacle()) {
        throw problem;
      }
      await new Promise(resolve => setTimeout(resolve, 50));
      await this.#begin(id, seed, attempts - 1);
    }
  }

  /** Why no exhibit can be played now. */
  #obstacle() {
    const { connected, gallery, run, phase } = this.#state;
    if (!connected || !gallery) {
      return 'The application does not answer.';
    }
    if (gallery.running) {
      return 'An exhibit is being played; wait for it or stop it.';
    }
    if (run?.running) {
      return 'A run of the experiment is in progress; wait for it or cancel it.';
    }
    return ['starting', 'stopping'].includes(phase) ? 'The experiment is being set up or taken down; wait for it.' : '';
  }

  async #send(request) {
    this.#complain('');
    try {
      await request();
    } catch (problem) {
      this.#complain(problem.message);
    }
  }

  #complain(sentence) {
    setText(element('gallery-problem'), sentence);
    element('gallery-problem').hidden = !sentence;
  }
}

/** Disabled buttons stay focusable and explain themselves when pressed. */
const press = (control, possible) => control.setAttribute('aria-disabled', String(!possible));
