/** Makes definitions with keys and revocation registries, of a trusted issuer and of an untrusted one. It takes some seconds of processor time. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import '../environment.ts'
import '../../../lib/agent/formats/anoncreds/library.ts'

const { CredentialDefinition, RevocationRegistryDefinition, RevocationStatusList, Schema } = createRequire(
  import.meta.url,
)('@hyperledger/anoncreds-shared') as typeof import('@hyperledger/anoncreds-shared')

const ATTRIBUTES = ['First Name', 'age', 'degree', 'zip']

/** Credentials of a registry: indexes 1 to this less one. */
const SIZE = 10

const published = (did: string) => {
  const schemaId = `${did}/schema/degree`
  const definitionId = `${did}/definition/degree`
  const schema = Schema.create({ name: 'degree', version: '1.0', issuerId: did, attributeNames: ATTRIBUTES })
  const { credentialDefinition, credentialDefinitionPrivate, keyCorrectnessProof } = CredentialDefinition.create({
    schemaId,
    schema,
    signatureType: 'CL',
    tag: 'degree',
    issuerId: did,
    supportRevocation: true,
  })
  const made = {
    schemaId,
    schema: schema.toJson(),
    definitionId,
    definition: credentialDefinition.toJson(),
    privateKey: credentialDefinitionPrivate.toJson(),
    keyCorrectnessProof: keyCorrectnessProof.toJson(),
  }
  const registryId = `${did}/registry/degree`
  const folder = mkdtempSync(join(tmpdir(), 'tails-'))
  const { revocationRegistryDefinition, revocationRegistryDefinitionPrivate } = RevocationRegistryDefinition.create({
    credentialDefinition,
    credentialDefinitionId: definitionId,
    tag: 'degree',
    issuerId: did,
    revocationRegistryType: 'CL_ACCUM',
    maximumCredentialNumber: SIZE,
    tailsDirectoryPath: folder,
  })
  const list = RevocationStatusList.create({
    credentialDefinition,
    revocationRegistryDefinitionId: registryId,
    revocationRegistryDefinition,
    revocationRegistryDefinitionPrivate,
    issuerId: did,
    issuanceByDefault: true,
    timestamp: 100,
  })
  const tails = readFileSync(revocationRegistryDefinition.getTailsLocation()).toString('base64')
  rmSync(folder, { recursive: true })
  return {
    ...made,
    registry: {
      registryId,
      definition: revocationRegistryDefinition.toJson(),
      privateKey: revocationRegistryDefinitionPrivate.toJson(),
      list: list.toJson(),
      tails,
    },
  }
}

export const prepare = () => ({
  /** The issuer that verifiers trust. */
  trusted: published('did:memory:trusted'),
  /** An untrusted issuer, with a schema that looks the same. */
  stranger: published('did:memory:stranger'),
})
