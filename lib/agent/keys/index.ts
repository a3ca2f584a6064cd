/** Keys of the agents: creation, sealed storage, encryption and signatures. */
export { decryptContent, encryptContent } from './content-encryption.ts'
export { type Ed25519Key, KEY_BYTES, keyOfVerkey, Verkey, verkeyOf } from './ed25519-key.ts'
export { agreementKeyOf, decryptByAgreement, encryptByAgreement, ownAgreementKeyOf } from './key-agreement.ts'
export { keyManagement } from './key-management-service.ts'
export { newKeyId } from './key-pair.ts'
export { SealedKeyStore, sealedKeys } from './sealed-key-store.ts'
export { verifyWith } from './signature.ts'
