/** libsodium itself, as the other side of the crypto tests; the package has no types of its own. */
import { createRequire } from 'node:module'

interface KeyPair {
  publicKey: Uint8Array
  privateKey: Uint8Array
}

/** The few functions that the tests call; `_easy` and the rest are named as in libsodium's documentation. */
interface Sodium {
  ready: Promise<void>
  crypto_sign_seed_keypair(seed: Uint8Array): KeyPair
  crypto_sign_detached(message: Uint8Array, privateKey: Uint8Array): Uint8Array
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean
  crypto_sign_ed25519_sk_to_curve25519(privateKey: Uint8Array): Uint8Array
  crypto_sign_ed25519_pk_to_curve25519(publicKey: Uint8Array): Uint8Array
  crypto_scalarmult_base(privateKey: Uint8Array): Uint8Array
  crypto_box_keypair(): KeyPair
  crypto_box_easy(message: Uint8Array, nonce: Uint8Array, publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array
  crypto_box_open_easy(boxed: Uint8Array, nonce: Uint8Array, publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array
  crypto_box_seal(message: Uint8Array, publicKey: Uint8Array): Uint8Array
  crypto_box_seal_open(sealed: Uint8Array, publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array
  crypto_aead_chacha20poly1305_ietf_encrypt(
    message: Uint8Array,
    additional: Uint8Array,
    secretNonce: null,
    nonce: Uint8Array,
    key: Uint8Array,
  ): Uint8Array
  crypto_aead_chacha20poly1305_ietf_decrypt(
    secretNonce: null,
    encrypted: Uint8Array,
    additional: Uint8Array,
    nonce: Uint8Array,
    key: Uint8Array,
  ): Uint8Array
}

export const sodium: Sodium = createRequire(import.meta.url)('libsodium-wrappers')
await sodium.ready
