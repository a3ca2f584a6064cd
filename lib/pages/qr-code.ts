/** QR codes as SVG: always dark on light, also in a dark page, because many scanners accept nothing else. */
import { encodeQR } from 'qr'
import { html, Markup } from './markup.ts'

/** Light modules around the symbol, as ISO/IEC 18004 asks for. */
const QUIET_ZONE = 4

/** The data of an SVG path: a bar for each run of dark modules in a row. */
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

/** `label`: text for screen readers. Throws for a text of more than 2,331 bytes. */
export const qrCode = (text: string, label: string): Markup => {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const size = String(rows.length)
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect class="light" width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${new Markup(barsOf(rows))}"/></svg>`
}
