/** Public JSON that caches may keep. */
import { hash } from 'node:crypto'
import { Document } from './request.ts'

/** JSON that any cache may keep for `seconds`, with the hash of its text as ETag. */
export const cachedJson = (value: object, seconds = 300): Document => {
  const json = JSON.stringify(value)
  return new Document(json, {
    cacheControl: `public, max-age=${seconds}`,
    etag: `"${hash('sha256', json, 'base64url')}"`,
  })
}
