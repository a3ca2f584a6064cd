/** How a wallet reads AnonCreds objects by did:webvh: Credo's own registry, over plain HTTP to this machine. */
import { type AgentContext, DidDocument, type DidResolutionResult, JsonTransformer, Kms } from '@credo-ts/core'
import { WebVhDidResolver } from '@credo-ts/webvh'
import { resolveDIDFromLog } from 'didwebvh-ts'

const addressOf = (id: string): string => {
  const [did = '', ...rest] = id.split('/')
  const [, , , host = '', ...path] = did.split(':')
  return [`http://${decodeURIComponent(host)}`, ...path, ...rest].join('/')
}

const read = async (url: string): Promise<string> => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${response.status} at ${url}`)
  return response.text()
}

const failure = (error: unknown) => ({ error: 'notFound', message: String(error) })

/** Credo's resolver accepts no port, and always uses TLS. */
export class LocalWebVhResolver extends WebVhDidResolver {
  override async resolveResource(_: AgentContext, id: string) {
    try {
      const content = JSON.parse(await read(addressOf(id)))
      const contentType = 'application/json'
      const retrieved = new Date().toISOString()
      return { content, contentMetadata: { contentType, retrieved }, dereferencingMetadata: { contentType } }
    } catch (error) {
      return failure(error) as never
    }
  }

  override async resolve(agentContext: AgentContext, did: string): Promise<DidResolutionResult> {
    try {
      const lines = (await read(`${addressOf(did)}/did.jsonl`)).trim().split('\n')
      const kms = agentContext.resolve(Kms.KeyManagementApi)
      const verify = async (signature: Uint8Array, data: Uint8Array, publicKey: Uint8Array) => {
        const key = Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey: new Uint8Array(publicKey) })
        const options = { key: { publicJwk: key.toJson() }, algorithm: 'EdDSA', signature, data } as const
        return (await kms.verify(options as never)).verified
      }
      const log = lines.map((line) => JSON.parse(line))
      const { doc } = await resolveDIDFromLog(log, { verifier: { verify }, requestedDid: did } as never)
      return {
        didDocument: JsonTransformer.fromJSON(doc, DidDocument),
        didDocumentMetadata: {},
        didResolutionMetadata: {},
      }
    } catch (error) {
      return { didDocument: null, didDocumentMetadata: {}, didResolutionMetadata: failure(error) }
    }
  }
}
