/** The registries of AnonCreds objects. The first one that supports an id's form is used. */
import type { AnonCredsRegistry } from '@credo-ts/anoncreds'
import { invalidField } from '../../../errors.ts'
import { IndyRegistry } from './indy-registry.ts'
import { WebvhRegistry } from './webvh-registry.ts'

export const registries: AnonCredsRegistry[] = [new WebvhRegistry(), new IndyRegistry()]

/**
 * The registry of an object's or issuer's id. Throws `request.invalid` if there is none, with `field` as the field's
 * path.
 */
export const registryOf = (id: string, field: string): AnonCredsRegistry => {
  const registry = registries.find(({ supportedIdentifier }) => supportedIdentifier.test(id))
  if (registry === undefined) throw invalidField(field, 'has no registry that this agent supports')
  return registry
}
