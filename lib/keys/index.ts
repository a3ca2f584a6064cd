/** Private keys of tenants: creates, seals and stores them, and unseals them for Node's crypto and jose. */
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
export type { UnsealedKey } from './stored-keys.ts'
