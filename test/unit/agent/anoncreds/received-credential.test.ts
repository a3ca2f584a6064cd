/** A credential that was received, by the ids of an Indy ledger. */
import type { AgentContext } from '@credo-ts/core'
import { DidCommAttachment } from '@credo-ts/didcomm'
import { expect } from 'vitest'
import { storeOffered } from '../../../../lib/agent/formats/anoncreds/received-credential.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { issuingMessages } from '../../../support/anoncreds/bare-library.ts'
import { testWithLibrary } from '../../../support/anoncreds/library.ts'

const DID = 'WgWxqztrNooG92RXvxSTWv'
const IDS = { cred_def_id: `${DID}:3:CL:10:default`, schema_id: `${DID}:2:degree:1.0` }
const REGISTRY = `${DID}:4:${DID}:3:CL:10:default:CL_ACCUM:first`

const attachmentOf = (json: object) => new DidCommAttachment({ data: { json: { ...json, ...IDS } as never } })

const agentContext = (): AgentContext => {
  const found = {
    credentialDefinition: {},
    credentialDefinitionMetadata: { didIndyNamespace: 'local' },
    resolutionMetadata: {},
  }
  const read = async () => found
  const registry = { getCredentialDefinition: read, getSchema: read, getRevocationRegistryDefinition: read }
  const resolve = () => ({ getRegistryForIdentifier: () => registry })
  return Object({ resolve, dependencyManager: { resolve } })
}

testWithLibrary(
  'is stored by qualified ids, and found by the unqualified one that a notification of its revocation has',
  async () => {
    const { offer, credential } = issuingMessages()
    const tags = new Map<string, unknown>()
    const credentialAttributes = Object.entries<{ raw: string }>(credential.values).map(([name, { raw }]) => ({
      ...{ name, value: raw },
    }))
    const received = {
      attachment: attachmentOf({ ...credential, rev_reg_id: REGISTRY }),
      offerAttachment: attachmentOf(offer),
      credentialExchangeRecord: Object({
        credentialAttributes,
        setTag: (name: string, value: unknown) => tags.set(name, value),
      }),
    }
    const stored: object[] = []
    await transaction('acme', () =>
      storeOffered(agentContext(), received, async (attachment) => {
        stored.push(attachment.getDataAsJson())
      }),
    )
    expect(stored).toMatchObject([{ rev_reg_id: `did:indy:local:${DID}/anoncreds/v0/REV_REG_DEF/10/default/first` }])
    expect([...tags]).toEqual([['anonCredsUnqualifiedRevocationRegistryId', REGISTRY]])
  },
)
