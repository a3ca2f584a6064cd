/** A key management service on loopback that speaks KMS's wire protocol (AWS JSON 1.1) and really encrypts, bound to the context. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Request {
  KeyId?: string
  KeySpec?: string
  CiphertextBlob?: string
  EncryptionContext?: Record<string, string>
}

interface KmsCall {
  action: string
  request: Request
}

/** An answer in the place of the service's own. */
interface KmsRefusal {
  status: number
  /** Name of the exception. */
  type: string
}

export interface KmsServer {
  url: string
  calls: KmsCall[]
  /** What DescribeKey says of the key. */
  metadata: { KeyState: string; DeletionDate?: number }
  /** Refuses every call from now on; `undefined`: none any more. */
  refuse(refusal: KmsRefusal | undefined): void
  stop(): Promise<void>
}

const IV = 12
const TAG = 16

/** Pairs are sorted: their order says nothing. https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html */
const contextOf = (context: Record<string, string> = {}): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).sort()))

/** Serves one key. https://docs.aws.amazon.com/kms/latest/APIReference/API_GenerateDataKey.html */
export const startKms = async (keyId: string): Promise<KmsServer> => {
  const master = randomBytes(32)
  const calls: KmsCall[] = []
  const metadata: KmsServer['metadata'] = { KeyState: 'Enabled' }
  let refusal: KmsRefusal | undefined

  const generate = ({ EncryptionContext }: Request): object => {
    const [plaintext, iv] = [randomBytes(32), randomBytes(IV)]
    const cipher = createCipheriv('aes-256-gcm', master, iv).setAAD(contextOf(EncryptionContext))
    const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
    const blob = Buffer.concat([iv, cipher.getAuthTag(), ciphertext])
    return { KeyId: keyId, Plaintext: plaintext.toString('base64'), CiphertextBlob: blob.toString('base64') }
  }

  const decrypt = ({ CiphertextBlob = '', EncryptionContext }: Request): object => {
    const blob = Buffer.from(CiphertextBlob, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', master, blob.subarray(0, IV), { authTagLength: TAG })
    decipher.setAAD(contextOf(EncryptionContext)).setAuthTag(blob.subarray(IV, IV + TAG))
    const plaintext = Buffer.concat([decipher.update(blob.subarray(IV + TAG)), decipher.final()])
    return { KeyId: keyId, Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' }
  }

  const answer = ({ action, request }: KmsCall): [status: number, body: object] => {
    if (refusal !== undefined) return [refusal.status, { __type: refusal.type, message: 'refused' }]
    if (request.KeyId !== keyId) return [400, { __type: 'NotFoundException', message: 'no such key' }]
    if (action === 'TrentService.GenerateDataKey' && request.KeySpec === 'AES_256') return [200, generate(request)]
    if (action === 'TrentService.DescribeKey') return [200, { KeyMetadata: { KeyId: keyId, ...metadata } }]
    if (action !== 'TrentService.Decrypt') return [400, { __type: 'UnknownOperationException' }]
    try {
      return [200, decrypt(request)]
    } catch {
      return [400, { __type: 'InvalidCiphertextException' }]
    }
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    const call = { action: String(incoming.headers['x-amz-target']), request: JSON.parse(body) }
    calls.push(call)
    const [status, result] = answer(call)
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(result))
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => incoming.socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    metadata,
    refuse: (next) => {
      refusal = next
    },
    stop: async () => {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
