extension PageCheck {
  /// Every text has a contrast of 4.5 to what lies behind it, large text of 3 (WCAG 2.2, 1.4.3).
  ///
  /// Colours are laid over each other as a browser does: backgrounds of all elements around a text, half-transparent
  /// ones too; in a picture every shape that was painted before the text, at fifteen points of the text's box, of which
  /// the worst counts. Text in a disabled field and text for screen readers only is left out.
  static let contrast = PageCheck(
    name: "every text can be read against its background",
    script: #"""
      const pixel = Object.assign(document.createElement('canvas'), {width: 1, height: 1})
        .getContext('2d', {willReadFrequently: true});
      // Red, green, blue from 0 to 255, and alpha from 0 to 1.
      const colour = once(text => {
        const numbers = text.match(/^rgba?\(([^)]+)\)$/)?.[1].split(/[\s,\/]+/).map(Number);
        if (numbers) return [...numbers.slice(0, 3), numbers[3] ?? 1];
        pixel.clearRect(0, 0, 1, 1);
        pixel.fillStyle = text;
        pixel.fillRect(0, 0, 1, 1);
        const data = pixel.getImageData(0, 0, 1, 1).data;
        return [data[0], data[1], data[2], data[3] / 255];
      });
      const faded = (value, share) => [value[0], value[1], value[2], value[3] * share];
      // A colour over an opaque one.
      const over = (top, below) =>
        [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
      const brightness = value => {
        const [r, g, b] = value.slice(0, 3).map(part => {
          const share = part / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (one, other) => {
        const [high, low] = [brightness(one), brightness(other)].sort((a, b) => b - a);
        return (high + 0.05) / (low + 0.05);
      };
      const hex = value => '#' + value.slice(0, 3).map(part => Math.round(part).toString(16).padStart(2, '0')).join('');
      const canvas = Object.assign(document.createElement('div'), {style: 'background: Canvas; position: absolute'});
      document.body.append(canvas);
      const base = colour(getComputedStyle(canvas).backgroundColor);
      canvas.remove();
      // The colour behind an element's text, including its own background.
      const background = once(element => {
        if (!element) return base;
        const style = getComputedStyle(element);
        if (style.backgroundImage !== 'none' && texts(element).length) {
          add(`${path(element)} has a picture behind its text, and nobody knows the contrast`);
        }
        // The window's own background is that of body.
        return over(colour(style.backgroundColor), background(element.parentElement));
      });
      const opacity = once(element =>
        element ? parseFloat(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1);
      const judge = (element, text, paint, below, style, scale = 1) => {
        const size = parseFloat(style.fontSize) * scale;
        const least = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700) ? 3 : 4.5;
        const shown = over(faded(paint, opacity(element)), below);
        const found = ratio(shown, below);
        if (found < least) {
          add(`${path(element)}: '${text}' has a contrast of ${found.toFixed(2)} (${hex(shown)} on ${hex(below)}),`
            + ` and needs ${least}`);
        }
      };
      for (const {node, element} of texts()) {
        if (element.closest('svg') || element.closest(':disabled, [aria-disabled=true]')) continue;
        const style = getComputedStyle(element);
        judge(element, words(node), colour(style.webkitTextFillColor ?? style.color), background(element), style);
      }
      for (const field of document.querySelectorAll('input, select, textarea')) {
        if (!isShown(field) || field.disabled || ['range', 'checkbox', 'radio', 'color'].includes(field.type)) continue;
        const style = getComputedStyle(field);
        judge(field, field.value, colour(style.color), background(field), style);
        if (field.placeholder && !field.value) {
          const faint = getComputedStyle(field, '::placeholder');
          judge(field, field.placeholder, faded(colour(faint.color), parseFloat(faint.opacity)), background(field), style);
        }
      }
      for (const element of document.body.querySelectorAll('*:not(svg *)')) {
        for (const part of ['::before', '::after']) {
          const style = getComputedStyle(element, part);
          const content = style.content.match(/^"(.*\S.*)"$/)?.[1];
          if (!content || !isShown(element) || element.closest(':disabled')) continue;
          const below = over(colour(style.backgroundColor), background(element));
          judge(element, content, faded(colour(style.color), parseFloat(style.opacity)), below, style);
        }
      }
      for (const svg of document.querySelectorAll('svg')) {
        if (!isShown(svg)) continue;
        const point = svg.createSVGPoint();
        const shapes = [...svg.querySelectorAll('rect, circle, ellipse, path, polygon')].map(shape => {
          const style = getComputedStyle(shape);
          const fill = style.fill === 'none' ? null
            : faded(colour(style.fill), parseFloat(style.fillOpacity) * opacity(shape));
          return {shape, fill, box: shape.getBoundingClientRect(), toShape: shape.getScreenCTM()?.inverse()};
        }).filter(({shape, fill, toShape}) => fill && fill[3] > 0 && toShape && isShown(shape) && !shape.closest('defs'));
        const paper = background(svg);
        for (const {node, element} of texts(svg)) {
          const style = getComputedStyle(element);
          const paint = faded(colour(style.fill), parseFloat(style.fillOpacity));
          const scale = element.getScreenCTM();
          const {left, top, width, height} = element.getBoundingClientRect();
          const earlier = shapes.filter(({shape, box}) =>
            box.left < left + width && box.right > left && box.top < top + height && box.bottom > top
              && shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
          let worst = null;
          for (const x of [0.1, 0.3, 0.5, 0.7, 0.9]) for (const y of [0.3, 0.5, 0.7]) {
            [point.x, point.y] = [left + width * x, top + height * y];
            let below = paper;
            for (const {shape, fill, toShape} of earlier) {
              if (shape.isPointInFill(point.matrixTransform(toShape))) below = over(fill, below);
            }
            if (!worst || ratio(over(paint, below), below) < ratio(over(paint, worst), worst)) worst = below;
          }
          judge(element, words(node), paint, worst, style, Math.hypot(scale.a, scale.b));
        }
      }
      """#)
}
