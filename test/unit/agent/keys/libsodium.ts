/** libsodium itself, ready to use: the other side of the crypto tests. */
import sodium from 'libsodium-wrappers'

await sodium.ready

export { sodium }
