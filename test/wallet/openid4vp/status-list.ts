/** A Token Status List on this machine, at an address that is new each time: no verifier has cached it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import { SignJWT } from 'jose'
import type { Signer } from './sample-issuer.ts'

/** The place of the sample credential in the list, whose entries have one bit. */
export const INDEX = 7
const ENTRIES = 1024

/** https://datatracker.ietf.org/doc/draft-ietf-oauth-status-list/ */
const signedList = ({ key, x5c }: Signer, uri: string, isRevoked: boolean): Promise<string> => {
  const bits = Buffer.alloc(ENTRIES / 8)
  if (isRevoked) bits.writeUInt8(1 << (INDEX % 8), Math.floor(INDEX / 8))
  return new SignJWT({ status_list: { bits: 1, lst: deflateSync(bits).toString('base64url') }, ttl: 60 })
    .setProtectedHeader({ alg: 'ES256', typ: 'statuslist+jwt', x5c })
    .setSubject(uri)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(key)
}

/** Serves the list on the loopback address until it is disposed of. */
export const serveStatusList = async (
  signer: Signer,
  isRevoked: boolean,
): Promise<{ uri: string } & AsyncDisposable> => {
  let list = ''
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/statuslist+jwt').end(list)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/status-list`
  list = await signedList(signer, uri, isRevoked)
  return {
    uri,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
