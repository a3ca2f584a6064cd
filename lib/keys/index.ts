/** Private keys of tenants: made, sealed in the table, and opened for Node's crypto and jose. */
export type { KeyPurpose } from './key-item.ts'
export {
  type Curve,
  generateJwk,
  isCurve,
  isKeyPair,
  jwkOf,
  jwkOfSeed,
  PrivateJwk,
} from './key-pair.ts'
export { SealedKeys, sealedKeys } from './sealed-keys.ts'
export type { OpenedKey } from './stored-keys.ts'
