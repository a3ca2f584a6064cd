/** The page with the API reference: a viewer of openapi.json, which assets/docs.js sets up. */
import { htmlDocument } from './layout.ts'
import { html } from './markup.ts'

/**
 * Addresses are relative: the page may be opened at another address than the public one, from whose origin it could
 * load nothing.
 */
export const docsPage = (): string =>
  htmlDocument(
    'API reference',
    html`<link rel="stylesheet" href="assets/swagger-ui.css">
<link rel="stylesheet" href="assets/docs.css">
<script src="assets/swagger-ui-bundle.js" defer></script>
<script src="assets/docs.js" defer></script>`,
    html`<div id="reference"><noscript><p>This page needs JavaScript. The reference itself is <a href="openapi.json">openapi.json</a>.</p></noscript></div>`,
  )
