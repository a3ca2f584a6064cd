/**
 * Reads a text from an address that the operator has set, for functions that must stay without the guarded client. A
 * name of an internal host reaches nothing: that host has no certificate for it, and redirects are not followed.
 */
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { decodeContent, WITHOUT_CODING } from './content-coding.ts'

interface ReadLimits {
  /** Time limit from start to last byte, in ms. */
  milliseconds: number
  bytes: number
  /** Whether plain http is allowed too: on the local stage. */
  local: boolean
}

/** Throws for any failure. The message quotes nothing of the content. */
export const readOperatorAddress = async (url: string, { milliseconds, bytes, local }: ReadLimits): Promise<string> => {
  const target = new URL(url)
  const isSecure = target.protocol === 'https:'
  if (!isSecure && !local) throw new Error('not https')
  const request = (isSecure ? httpsRequest : httpRequest)(target, {
    // A connection that is kept open over a freeze of the function is stale.
    agent: false,
    // Some hosts reject requests without a user agent.
    headers: {
      'user-agent': 'serverless-agent',
      accept: 'application/jwk-set+json, application/json',
      ...WITHOUT_CODING,
    },
    signal: AbortSignal.timeout(milliseconds),
  })
  // After the head has arrived, the response emits the same error.
  request.on('error', () => {}).end()
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response) {
      size += chunk.length
      if (size > bytes) throw tooLarge(bytes)
      chunks.push(chunk)
    }
    const content = await decodeContent(Buffer.concat(chunks), response.headers['content-encoding'], bytes)
    if (content === undefined) throw tooLarge(bytes)
    return content.toString('utf8')
  } finally {
    request.destroy()
  }
}

const tooLarge = (bytes: number): Error => new Error(`more than ${bytes} bytes`)
