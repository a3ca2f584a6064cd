/** did:webvh: logs and attested resources, read and published. */
export { publish, republish } from './publishing.ts'
export { WebvhDidResolver } from './resolver.ts'
export { type Freshness, readAttested } from './resources.ts'
