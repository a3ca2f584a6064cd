/** An issuer of tokens that serves its keys on loopback, with the failures that a test chooses. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { VerifyingKey } from '../../../lib/auth/key-set.ts'

export interface SigningKey {
  kid: string
  /** As a key set shows it. */
  open: VerifyingKey
  sign(claims?: Record<string, unknown>): Promise<string>
}

/** Its tokens are of an `issuer`, for `agent`, with the time of `now` (ms since the epoch). */
export const newSigningKey = async (kid: string, issuer: string, now: () => number): Promise<SigningKey> => {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
  const { kty = '', crv, x } = await exportJWK(publicKey)
  return {
    kid,
    open: { kty, crv, x, kid, alg: 'EdDSA', use: 'sig' },
    sign: (claims = {}) =>
      new SignJWT({ role: 'RestRootAgent', ...claims })
        .setProtectedHeader({ alg: 'EdDSA', kid })
        .setIssuer(issuer)
        .setAudience('agent')
        .setExpirationTime(Math.floor(now() / 1000) + 60)
        .sign(privateKey),
  }
}

export interface IssuerServer {
  jwksUri: string
  requests: number
  /** Serves these keys from now on. */
  serve(...keys: SigningKey[]): void
  /** Uses this answer from now on. */
  behave(listener: RequestListener): void
  stop(): Promise<void>
}

export const startIssuerServer = async (): Promise<IssuerServer> => {
  let listener: RequestListener = (_, response) => response.writeHead(404).end()
  const server = createServer((request, response) => {
    started.requests += 1
    listener(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const started: IssuerServer = {
    jwksUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    requests: 0,
    serve: (...keys) => {
      const body = JSON.stringify({ keys: keys.map(({ open }) => open) })
      listener = (_, response) => response.setHeader('content-type', 'application/json').end(body)
    },
    behave: (next) => {
      listener = next
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return started
}

const endless: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const text = `{"keys":["${'x'.repeat(10 * 1024 * 1024)}"]}`
  response.end(text)
}

const offCurve = { kty: 'EC', crv: 'P-256', x: `${'A'.repeat(42)}E`, y: `${'A'.repeat(42)}E` }

/** Answers that are not a usable key set, by description. `elsewhere`: where a redirect leads. */
export const badAnswers = (elsewhere: string, secret: object): [string, RequestListener][] => [
  ['an error', (_, response) => response.writeHead(500).end('{}')],
  ['garbage', (_, response) => response.end('<html>maintenance</html>')],
  [
    'a key set that breaks off',
    (_, response) => response.writeHead(200, { 'content-length': '999' }).write('{"keys":[') && response.destroy(),
  ],
  ['10 MB', endless],
  ['a redirect', (_, response) => response.writeHead(302, { location: elsewhere }).end()],
  ['an empty key set', (_, response) => response.end('{"keys":[]}')],
  ['a key set with a private key', (_, response) => response.end(JSON.stringify({ keys: [secret] }))],
  ['a key set whose only key is off its curve', (_, response) => response.end(JSON.stringify({ keys: [offCurve] }))],
  ['65 keys', (_, response) => response.end(JSON.stringify({ keys: Array.from({ length: 65 }, () => secret) }))],
  ['nothing: it hangs up', (_, response) => response.destroy()],
]
