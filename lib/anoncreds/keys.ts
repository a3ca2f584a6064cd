/** Keys of items for AnonCreds, did:webvh and did:web. */
import { type Address, address, digest } from '../store/keys.ts'

/** The revocation registries of a credential definition, by number. */
export const registryPartition = (tenant: string, credentialDefinitionId: string): string =>
  `${tenant}|revocation-registry|${digest(credentialDefinitionId)}`

export interface RegistryKey {
  tenant: string
  credentialDefinitionId: string
  /** Number of the registry within its definition, from 1. */
  number: number
}

export const registryAddress = ({ tenant, credentialDefinitionId, number }: RegistryKey): Address =>
  address(registryPartition(tenant, credentialDefinitionId), String(number).padStart(8, '0'))

/** Revocations that are not in the registry's published list yet. */
export const pendingRevocations = (tenant: string, registryId: string): string =>
  `${tenant}|revocation|${digest(registryId)}`

export const pendingRevocationAddress = (key: { tenant: string; registryId: string; index: number }): Address =>
  address(pendingRevocations(key.tenant, key.registryId), String(key.index).padStart(8, '0'))

/** The pieces of a tails file. It belongs to no tenant: its name is its hash. */
export const tailsPartition = (hash: string): string => `@tails|${digest(hash)}`

export const tailsPieceAddress = ({ hash, piece }: { hash: string; piece: number }): Address =>
  address(tailsPartition(hash), String(piece).padStart(4, '0'))

/** The key by which a credential definition is unique: a digest of its issuer, schema and tag. */
export const definitionKeyAddress = (tenant: string, key: readonly string[]): Address =>
  address(`${tenant}|definition|${digest(JSON.stringify(key))}`)

/** A credential definition whose keys are being generated, in one of the agent's few slots. */
export const definitionSlotAddress = ({ tenant, slot }: { tenant: string; slot: string }): Address =>
  address(`${tenant}|definition-slot`, slot)

/** An object that an operator has to write to a ledger. */
export const ledgerObjectAddress = ({ tenant, id }: { tenant: string; id: string }): Address =>
  address(`${tenant}|ledger-object|${id}`)

/** Objects of a definition's revocation registries that an operator has to write to a ledger, by number. */
export const registryWritePartition = (tenant: string, credentialDefinitionId: string): string =>
  `${tenant}|ledger-object|${digest(credentialDefinitionId)}`

export const registryWriteAddress = ({ tenant, credentialDefinitionId, number }: RegistryKey): Address =>
  address(registryWritePartition(tenant, credentialDefinitionId), String(number).padStart(8, '0'))

/** The log of an agent's did:webvh. */
export const webvhLogAddress = (tenant: string): Address => address(`${tenant}|webvh|log`)

/** A resource of an agent's did:webvh. Its name is one segment of a path. */
export const webvhResourceAddress = (tenant: string, name: string): Address =>
  address(`${tenant}|webvh|resource|${name}`)

/** The document of an agent's did:web. */
export const webDocumentAddress = (tenant: string): Address => address(`${tenant}|did-web|document`)

/** The newest version that an agent has seen of another agent's did:webvh. */
export const webvhSeenAddress = (tenant: string, did: string): Address => address(`${tenant}|webvh-seen|${digest(did)}`)
