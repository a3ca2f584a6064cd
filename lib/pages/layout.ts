/** The frame of our pages: what a browser is told, the style, and one main part. */
import { settings } from '../settings.ts'
import { html, type Markup } from './markup.ts'

/** A whole document. Without a script; the icon is none, so that browsers ask for none. */
export const layout = (title: string, main: Markup): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${settings().PUBLIC_URL}/assets/page.css">
</head>
<body>
<main>${main}</main>
</body>
</html>
`.text
