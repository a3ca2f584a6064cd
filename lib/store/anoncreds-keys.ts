/** The keys of items that AnonCreds needs: registries, tails files, credential definitions, what a did:webvh or did:web serves. */
import { type Address, ALONE, digest } from './keys.ts'

/** All revocation registries of a credential definition, by their numbers. */
export const registryPartition = (tenant: string, credentialDefinitionId: string): string =>
  `${tenant}|revocation-registry|${digest(credentialDefinitionId)}`

export interface RegistryKey {
  tenant: string
  credentialDefinitionId: string
  /** Counts the registries of the definition, from 1. */
  number: number
}

export const registryAddress = ({ tenant, credentialDefinitionId, number }: RegistryKey): Address => ({
  pk: registryPartition(tenant, credentialDefinitionId),
  sk: String(number).padStart(8, '0'),
})

/** What is revoked in a registry and not in its published list yet. */
export const pendingRevocations = (tenant: string, registryId: string): string =>
  `${tenant}|revocation|${digest(registryId)}`

export const pendingRevocationAddress = (key: { tenant: string; registryId: string; index: number }): Address => ({
  pk: pendingRevocations(key.tenant, key.registryId),
  sk: String(key.index).padStart(8, '0'),
})

/** The pieces of a tails file, which belongs to nobody: its name is its hash. */
export const tailsPartition = (hash: string): string => `@tails|${digest(hash)}`

export const tailsPieceAddress = ({ hash, piece }: { hash: string; piece: number }): Address => ({
  pk: tailsPartition(hash),
  sk: String(piece).padStart(4, '0'),
})

/** The key by which a credential definition is unique: a digest of its issuer, schema and tag. */
export const definitionKeyAddress = (tenant: string, key: readonly string[]): Address => ({
  pk: `${tenant}|definition|${digest(JSON.stringify(key))}`,
  sk: ALONE,
})

/** How many credential definitions an agent has made. */
export const definitionQuotaAddress = (tenant: string): Address => ({ pk: `${tenant}|definition-quota`, sk: ALONE })

/** What is to be written to a ledger. */
export const ledgerObjectAddress = ({ tenant, id }: { tenant: string; id: string }): Address => ({
  pk: `${tenant}|ledger-object|${id}`,
  sk: ALONE,
})

/** What is to be written to a ledger for the revocation registries of a credential definition, by their numbers. */
export const registryWritePartition = (tenant: string, credentialDefinitionId: string): string =>
  `${tenant}|ledger-object|${digest(credentialDefinitionId)}`

export const registryWriteAddress = ({ tenant, credentialDefinitionId, number }: RegistryKey): Address => ({
  pk: registryWritePartition(tenant, credentialDefinitionId),
  sk: String(number).padStart(8, '0'),
})

/** The log of an agent's did:webvh. */
export const webvhLogAddress = (tenant: string): Address => ({ pk: `${tenant}|webvh|log`, sk: ALONE })

/** A resource that an agent serves under its did:webvh. A name is one part of a path. */
export const webvhResourceAddress = (tenant: string, name: string): Address => ({
  pk: `${tenant}|webvh|resource|${name}`,
  sk: ALONE,
})

/** The document of an agent's did:web. */
export const webDocumentAddress = (tenant: string): Address => ({ pk: `${tenant}|did-web|document`, sk: ALONE })

/** What an agent has last seen of the log of somebody's did:webvh. */
export const webvhSeenAddress = (tenant: string, did: string): Address => ({
  pk: `${tenant}|webvh-seen|${digest(did)}`,
  sk: ALONE,
})
