/** The files that pages load: our own, and those of swagger-ui. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AgentError } from '../errors.ts'
import { PLACES } from './browser-file-places.ts'

const TYPES: Record<string, string> = { css: 'text/css', js: 'text/javascript' }

interface BrowserFile {
  contentType: string
  text: string
  /** A strong validator (RFC 9110, section 8.8.3), with quotes. */
  etag: string
}

const read = new Map<string, BrowserFile>()

const readBrowserFile = (name: string, place: string): BrowserFile => {
  const text = readFileSync(fileURLToPath(place), 'utf8')
  const extension = name.split('.').at(-1) ?? ''
  const etag = `"${hash('sha256', text, 'base64url')}"`
  const file = { contentType: TYPES[extension] ?? 'text/plain', text, etag }
  read.set(name, file)
  return file
}

/** A file by its name. Throws `resource.not_found`. */
export const requireBrowserFile = (name: string): BrowserFile => {
  const place = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined
  if (place === undefined) throw new AgentError('resource.not_found', 'there is no such file')
  return read.get(name) ?? readBrowserFile(name, place)
}
