/** The few functions of libsodium that the tests call, named as in its documentation; the package has no types of its own. */
declare module 'libsodium-wrappers' {
  interface KeyPair {
    publicKey: Uint8Array
    privateKey: Uint8Array
  }

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
    crypto_box_open_easy(
      boxed: Uint8Array,
      nonce: Uint8Array,
      publicKey: Uint8Array,
      privateKey: Uint8Array,
    ): Uint8Array
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

  const sodium: Sodium
  export default sodium
}
