/** The reference of the interface: a viewer of openapi.json, which assets/docs.js sets up. */
import { html } from './markup.ts'

/** Relative addresses: the page may be asked for by another address than the public one, whose files it could not load. */
export const docsPage = (): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/swagger-ui.css">
<link rel="stylesheet" href="assets/docs.css">
<script src="assets/swagger-ui-bundle.js" defer></script>
<script src="assets/docs.js" defer></script>
</head>
<body>
<div id="reference"><noscript><p>This page needs JavaScript. The reference itself is <a href="openapi.json">openapi.json</a>.</p></noscript></div>
</body>
</html>
`.text
