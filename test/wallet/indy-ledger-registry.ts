/** A wallet's registry of Indy ledgers: reads an indy-vdr-proxy and believes it. It shares no code with the agent's. */
import type { AnonCredsRegistry } from '@credo-ts/anoncreds'

// biome-ignore lint/suspicious/noExplicitAny: a ledger's reply, as it comes
type Reply = any

const NAMESPACE_OF = /^did:indy:(.+):[^:/]+\//
const notFound = { error: 'notFound', message: 'no such object' }
const unsupported = async (): Promise<never> => {
  throw new Error('a wallet writes nothing')
}

/** `did:indy:<namespace>:<did>/anoncreds/v0/...` as the ledger writes it. */
const unqualified = (id: string): string => {
  const [issuer = '', , , type, ...parts] = id.split('/')
  if (type === undefined) return id
  const did = issuer.split(':').at(-1)
  if (type === 'SCHEMA') return [did, '2', ...parts].join(':')
  const definition = [did, '3', 'CL', parts[0], parts[1]].join(':')
  return type === 'CLAIM_DEF' ? definition : [did, '4', definition, 'CL_ACCUM', parts[2]].join(':')
}

export class IndyLedgerRegistry implements AnonCredsRegistry {
  readonly methodName = 'indy'
  readonly allowsCaching = false
  readonly allowsLocalRecord = false
  readonly supportedIdentifier = /^did:indy:|^[1-9A-HJ-NP-Za-km-z]{21,22}(:|$)/

  /** Addresses of proxies by namespace, of all wallets of the process. An unqualified id is of the first one. */
  static proxies: Record<string, string> = {}

  registerSchema = unsupported
  registerCredentialDefinition = unsupported
  registerRevocationRegistryDefinition = unsupported
  registerRevocationStatusList = unsupported

  getSchema: AnonCredsRegistry['getSchema'] = async (_, schemaId) => {
    const { result, namespace } = await this.#get(schemaId, 'schema')
    if (result.seqNo === null) return { schemaId, schemaMetadata: {}, resolutionMetadata: notFound }
    const { name, version, attr_names } = result.data
    return {
      schemaId,
      schema: { issuerId: this.#issuerOf(schemaId), name, version, attrNames: attr_names },
      schemaMetadata: { didIndyNamespace: namespace, indyLedgerSeqNo: result.seqNo },
      resolutionMetadata: {},
    }
  }

  getCredentialDefinition: AnonCredsRegistry['getCredentialDefinition'] = async (_, credentialDefinitionId) => {
    const { result, namespace, address } = await this.#get(credentialDefinitionId, 'cred_def')
    if (result.seqNo === null)
      return { credentialDefinitionId, credentialDefinitionMetadata: {}, resolutionMetadata: notFound }
    const { txn } = (await this.#fetch(`${address}/txn/DOMAIN/${result.ref}`)).data
    const { name, version } = txn.data.data
    const base = credentialDefinitionId.startsWith('did:')
    const schemaId = base
      ? `did:indy:${namespace}:${txn.metadata.from}/anoncreds/v0/SCHEMA/${name}/${version}`
      : `${txn.metadata.from}:2:${name}:${version}`
    return {
      credentialDefinitionId,
      credentialDefinition: {
        issuerId: this.#issuerOf(credentialDefinitionId),
        schemaId,
        type: 'CL',
        tag: result.tag,
        value: result.data,
      },
      credentialDefinitionMetadata: { didIndyNamespace: namespace },
      resolutionMetadata: {},
    }
  }

  getRevocationRegistryDefinition: AnonCredsRegistry['getRevocationRegistryDefinition'] = async (_, id) => {
    const { result, namespace } = await this.#get(id, 'rev_reg_def')
    if (result.seqNo === null)
      return {
        revocationRegistryDefinitionId: id,
        revocationRegistryDefinitionMetadata: {},
        resolutionMetadata: notFound,
      }
    const { issuanceType, ...value } = result.data.value
    return {
      revocationRegistryDefinitionId: id,
      revocationRegistryDefinition: {
        issuerId: this.#issuerOf(id),
        revocDefType: 'CL_ACCUM',
        credDefId: id.startsWith('did:')
          ? id.replace('/REV_REG_DEF/', '/CLAIM_DEF/').slice(0, id.lastIndexOf('/') - 2)
          : result.data.credDefId,
        tag: result.data.tag,
        value,
      },
      revocationRegistryDefinitionMetadata: { didIndyNamespace: namespace, issuanceType },
      resolutionMetadata: {},
    }
  }

  getRevocationStatusList: AnonCredsRegistry['getRevocationStatusList'] = async (context, id, timestamp) => {
    const { revocationRegistryDefinition } = await this.getRevocationRegistryDefinition(context, id)
    const { address, namespace } = this.#proxyOf(id)
    const request = {
      operation: { type: '117', revocRegDefId: unqualified(id), to: timestamp },
      identifier: 'LibindyDid111111111111',
      reqId: Date.now(),
      protocolVersion: 2,
    }
    const { data } = await this.#fetch(`${address}/submit`, { method: 'POST', body: JSON.stringify(request) })
    if (data === null || revocationRegistryDefinition === undefined)
      return { revocationStatusListMetadata: {}, resolutionMetadata: notFound }
    const revoked: number[] = data.value.revoked
    const length = revocationRegistryDefinition.value.maxCredNum
    return {
      revocationStatusList: {
        issuerId: this.#issuerOf(id),
        revRegDefId: id,
        revocationList: Array.from({ length }, (__, index) => (revoked.includes(index) ? 1 : 0)),
        currentAccumulator: data.value.accum_to.value.accum,
        timestamp: data.value.accum_to.txnTime,
      },
      revocationStatusListMetadata: { didIndyNamespace: namespace },
      resolutionMetadata: {},
    }
  }

  #issuerOf(id: string): string {
    const [did = ''] = id.split(id.startsWith('did:') ? '/' : ':')
    return did
  }

  #proxyOf(id: string): { namespace: string; address: string } {
    const [, namespace = Object.keys(IndyLedgerRegistry.proxies)[0] ?? ''] = NAMESPACE_OF.exec(id) ?? []
    const address = IndyLedgerRegistry.proxies[namespace]
    if (address === undefined) throw new Error(`the wallet knows no ledger of ${id}`)
    return { namespace, address }
  }

  async #get(id: string, route: string): Promise<{ result: Reply; namespace: string; address: string }> {
    const { address, namespace } = this.#proxyOf(id)
    return {
      result: await this.#fetch(`${address}/${route}/${encodeURIComponent(unqualified(id))}`),
      namespace,
      address,
    }
  }

  async #fetch(url: string, init: RequestInit = {}): Promise<Reply> {
    const response = await fetch(url, init)
    if (!response.ok) throw new Error(`${response.status} of ${url}`)
    return ((await response.json()) as Reply).result
  }
}
