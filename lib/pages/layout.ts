/** The HTML documents of all pages, and the frame of those for people with an invitation. */
import { settings } from '../settings.ts'
import { html, type Markup } from './markup.ts'

/** The icon is empty, so that browsers do not request one. */
export const htmlDocument = (title: string, head: Markup, body: Markup): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
${body}
</body>
</html>
`.text

/** A document that search engines do not index. */
export const layout = (title: string, main: Markup): string =>
  htmlDocument(
    title,
    html`<meta name="robots" content="noindex">
<link rel="stylesheet" href="${settings().PUBLIC_URL}/assets/page.css">`,
    html`<main>${main}</main>`,
  )
