// The contrast of text that something covers, from the colours of the text and its ancestors. axe reads colours where the text is
// drawn, and gives up where another element lies above or behind it.

interface Color {
  red: number;
  green: number;
  blue: number;
  alpha: number;
  parseString(text: string): Color;
}

export interface AxeColors {
  Color: new (red?: number, green?: number, blue?: number, alpha?: number) => Color;
  flattenColors(front: Color, back: Color): Color;
  getContrast(one: Color, other: Color): number;
}

export interface CoveredText {
  target: string;
  /** Null if it is unknown because there is an image behind the text. */
  contrast: number | null;
  /** By its size (WCAG 1.4.3). */
  needed: number;
}

/** Runs in a page that has loaded axe, so it uses nothing outside itself. Each target is a selector. */
export function measureCoveredText(targets: readonly string[]): CoveredText[] {
  const { Color, flattenColors, getContrast } = window.axe!.commons.color;

  function contrastOf(element: Element): number | null {
    const layers: Color[] = [];
    let opacity = 1;
    for (let each: Element | null = element; each !== null; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (style.backgroundImage !== "none") return null;
      opacity *= Number(style.opacity);
      const layer = new Color().parseString(style.backgroundColor);
      layers.push(layer);
      if (layer.alpha === 1) break;
    }
    const back = layers.reduceRight((below, layer) => flattenColors(layer, below), new Color(255, 255, 255, 1));
    const text = new Color().parseString(getComputedStyle(element).color);
    text.alpha *= opacity;
    return getContrast(flattenColors(text, back), back);
  }

  return targets.flatMap((target) => {
    const element = document.querySelector(target);
    if (element === null) return [];
    const { fontSize, fontWeight } = getComputedStyle(element);
    const size = Number.parseFloat(fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
    return [{ target, contrast: contrastOf(element), needed: isLarge ? 3 : 4.5 }];
  });
}
