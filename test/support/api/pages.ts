/** Lists over HTTP: from page to page. */

import type { Json } from '../stage/in-process-stage.ts'
import { api, world } from './scene.ts'

/** More pages than any list of the tests has. */
const END = 100

/** Follows the `Link` headers from the first page to the last. */
export const followPages = async (first: string, token: string): Promise<Json[][]> => {
  const pages: Json[][] = []
  for (let path: string | undefined = first; path !== undefined && pages.length < END; ) {
    const { status, body, headers } = await api.get(path, { token })
    if (status !== 200) throw new Error(`${path} answers ${status}`)
    pages.push(body)
    path = nextOf(headers.link)
  }
  return pages
}

/** The path of the next page (RFC 8288); it must be at the address of the stage. */
const nextOf = (link: string | undefined): string | undefined => {
  if (link === undefined) return undefined
  const [, url] = /^<([^>]+)>; rel="next"$/.exec(link) ?? []
  if (!url?.startsWith(`${world.baseUrl}/`)) throw new Error(`Link is ${link}`)
  return url.slice(world.baseUrl.length)
}
