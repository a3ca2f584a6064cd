/** QR codes as SVG: dark modules on a light ground, whatever the page's colours, because many readers take nothing else. */
import { encodeQR } from 'qr'
import { html, Markup } from './markup.ts'

/** Light modules around the symbol, as ISO/IEC 18004 asks for. */
const QUIET_ZONE = 4

/** One path: a bar for each run of dark modules in a row. */
const barsOf = (rows: boolean[][]): string => {
  let path = ''
  for (const [y, row] of rows.entries())
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue
      const start = x
      while (row[x + 1]) x++
      path += `M${start} ${y}h${x + 1 - start}v1H${start}z`
    }
  return path
}

/** `label`: what a screen reader says. Throws where the text is longer than a symbol holds (2,331 bytes). */
export const qrCode = (text: string, label: string): Markup => {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const size = String(rows.length)
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect class="light" width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${new Markup(barsOf(rows))}"/></svg>`
}
