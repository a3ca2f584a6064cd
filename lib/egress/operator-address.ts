/**
 * Reads a text at an address that the operator has set, for functions that are too small for the guarded client. A name
 * that leads inside reaches nothing: what answers there has no certificate of that name, and redirects are not
 * followed.
 */

interface ReadLimits {
  /** Time limit from start to last byte, in ms. */
  milliseconds: number
  bytes: number
  /** Also allows plain http: on the local stage. */
  local: boolean
}

/** Throws for any failure. The message quotes nothing of the response. */
export const readOperatorAddress = async (url: string, { milliseconds, bytes, local }: ReadLimits): Promise<string> => {
  if (!local && new URL(url).protocol !== 'https:') throw new Error('not https')
  const response = await fetch(url, {
    // A connection that is kept open over a freeze of the function is stale.
    headers: { accept: 'application/jwk-set+json, application/json', connection: 'close' },
    redirect: 'manual',
    signal: AbortSignal.timeout(milliseconds),
  })
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    // Leaving the loop ends the connection.
    if (size > bytes) throw new Error(`more than ${bytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
