/** A third party's did:webvh on a server of this machine: keys, logs and resources, made without the service's own code but for canonical JSON. */
import { generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDID, MultibaseEncoding, multibaseEncode, prepareDataForSigning, updateDID } from 'didwebvh-ts'
import { canonicalJson } from '../../../lib/json.ts'
import { sha256 } from '../../../lib/webvh/attested-resource.ts'
import type { Json } from '../stage/in-process-stage.ts'

/** A key of Ed25519, as did:webvh names it. */
export class HostKey {
  readonly #private: KeyObject
  readonly multibase: string

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    this.#private = privateKey
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
    this.multibase = multibaseEncode(Uint8Array.from([0xed, 0x01, ...raw]), MultibaseEncoding.BASE58_BTC)
  }

  sign(data: Uint8Array): Uint8Array {
    return Uint8Array.from(sign(null, data, this.#private))
  }

  /** In the shape that didwebvh-ts expects. */
  get signer() {
    return {
      getVerificationMethodId: () => `did:key:${this.multibase}#${this.multibase}`,
      sign: async ({ document, proof }: Json) => ({
        proofValue: multibaseEncode(
          this.sign(await prepareDataForSigning(document, proof)),
          MultibaseEncoding.BASE58_BTC,
        ),
      }),
    }
  }
}

const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex')

export const verifyOfHost = async (signature: Uint8Array, data: Uint8Array, publicKey: Uint8Array) =>
  verify(null, data, { key: Buffer.concat([SPKI_ED25519, publicKey]), format: 'der', type: 'spki' } as Json, signature)

const verifier = { verify: verifyOfHost }

/** A server of contents that a test sets, by path. */
export class WebvhHost {
  readonly files = new Map<string, string | ((response: ServerResponse) => void)>()
  /** Requested paths. */
  readonly asked: string[] = []
  readonly port: number
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('request', (request, response) => {
      this.asked.push(request.url ?? '')
      const file = this.files.get(request.url ?? '')
      if (file === undefined) response.writeHead(404).end()
      else if (typeof file === 'string') response.writeHead(200).end(file)
      else file(response)
    })
  }

  static async start(): Promise<WebvhHost> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new WebvhHost(server)
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Makes a DID whose files are at `/<name>/`, and serves its log. */
  async issuer(
    name: string,
    { purpose = 'assertionMethod', ...more }: { purpose?: Purpose; [option: string]: unknown } = {},
  ): Promise<HostedIssuer> {
    const key = new HostKey()
    const domain = `localhost%3A${this.port}`
    const id = `did:webvh:{SCID}:${domain}:${name}`
    const { did, log } = await createDID({
      domain,
      paths: [name],
      updateKeys: [key.multibase],
      verificationMethods: [methodOf(id, key, purpose)],
      signer: key.signer,
      verifier,
      created: new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z/, 'Z'),
      ...more,
    })
    const issuer = new HostedIssuer(this, { name, did, key, log })
    issuer.serve()
    return issuer
  }
}

type Purpose = 'assertionMethod' | 'authentication'

const methodOf = (did: string, { multibase }: HostKey, purpose: Purpose = 'assertionMethod') => ({
  id: `${did}#${multibase}`,
  type: 'Multikey',
  publicKeyMultibase: multibase,
  purpose,
})

interface ResourceOptions {
  id?: string
  links?: object[]
  key?: HostKey
  verificationMethod?: string
  expires?: string
  /** Changes made after signing. */
  after?: object
  /** Additional signed members. */
  more?: object
}

export class HostedIssuer {
  readonly did: string
  readonly name: string
  readonly key: HostKey
  log: Json[]
  readonly #host: WebvhHost

  constructor(host: WebvhHost, { name, did, key, log }: { name: string; did: string; key: HostKey; log: Json[] }) {
    this.#host = host
    this.name = name
    this.did = did
    this.key = key
    this.log = log
  }

  /** Serves the log, or a replacement. */
  serve(log: Json[] = this.log): void {
    this.serveText('did.jsonl', log.map((entry) => JSON.stringify(entry)).join('\n'))
  }

  serveText(file: string, text: string | ((response: ServerResponse) => void)): void {
    this.#host.files.set(`/${this.name}/${file}`, text)
  }

  /** Adds an entry to the log, whose only key to assert with is `key`, and serves it. `more`: further members of the key's verification method. */
  async rotate(key: HostKey, updated: Date, more: object = {}): Promise<void> {
    const { log } = await updateDID({
      log: this.log,
      signer: this.key.signer,
      verifier,
      updated: updated.toISOString().replace(/\.\d+Z/, 'Z'),
      verificationMethods: [{ ...methodOf(this.did, key), ...more }],
    })
    this.log = log
    this.serve()
  }

  get method(): string {
    return `${this.did}#${this.key.multibase}`
  }

  idOf(content: object): string {
    const digest = sha256(canonicalJson(content))
    return `${this.did}/resources/${multibaseEncode(Uint8Array.from([0x12, 0x20, ...digest]), MultibaseEncoding.BASE58_BTC)}`
  }

  /** Serves a resource where its id says; returns that id. */
  publish(content: object, options: ResourceOptions = {}): string {
    const { links, key = this.key, verificationMethod = this.method, expires, after = {}, more = {} } = options
    const id = this.idOf(content)
    const document = {
      '@context': ['https://w3id.org/security/data-integrity/v2'],
      type: ['AttestedResource'],
      id: options.id ?? id,
      content,
      metadata: {},
      ...(links && { links }),
      ...more,
    }
    const proof = {
      type: 'DataIntegrityProof',
      cryptosuite: 'eddsa-jcs-2022',
      proofPurpose: 'assertionMethod',
      verificationMethod,
      ...(expires && { expires }),
    }
    const data = Buffer.concat([sha256(canonicalJson(proof)), sha256(canonicalJson(document))])
    const proofValue = multibaseEncode(key.sign(data), MultibaseEncoding.BASE58_BTC)
    this.serveText(
      `resources/${id.split('/').at(-1)}`,
      JSON.stringify({ ...document, proof: { ...proof, proofValue }, ...after }),
    )
    return id
  }
}
