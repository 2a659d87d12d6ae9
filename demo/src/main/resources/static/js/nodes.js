export function node(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className) {
    element.className = className;
  }
  element.append(...content);
  return element;
}

export function button(text, onPress) {
  const element = node('button', '', text);
  element.type = 'button';
  element.addEventListener('click', onPress);
  return element;
}

/** Creates an SVG element. */
export function shape(tag, attributes, ...content) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...content);
  return element;
}
