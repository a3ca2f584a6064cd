/**
 * Public ids of OpenID4VC: parts of the URLs that wallets call, which lead to the tenant. None is reused, because the
 * new owner would take over URLs and names that wallets and verifiers trust.
 */
import { AgentError } from '../errors.ts'
import { defineItem, readItem } from '../store/item.ts'
import { optional, picklist, text } from '../store/item-fields.ts'
import { address, digest } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { updateIf } from '../store/write.ts'

type PublicIdKind = 'verifier' | 'issuer'

const publicIdItem = defineItem(
  'openid-id',
  ({ publicId }: { publicId: string }) => address(`@openid|${digest(publicId)}`),
  {
    /** Absent after the deletion of what had the id: the item stays. */
    tenant: optional(text()),
    of: picklist<PublicIdKind>(['verifier', 'issuer']),
  },
  'parts',
)

/** Takes an id for the unit's tenant. The commit throws `openid.id_taken` if it was ever used. */
export const claimPublicId = (unit: UnitOfWork, publicId: string, kind: PublicIdKind): void =>
  unit.create(
    publicIdItem.encode({ publicId, tenant: unit.tenant, of: kind }),
    () => new AgentError('openid.id_taken', `the id ${publicId} was used before, and ids are never reused`),
  )

/** Detaches an id from the unit's tenant. It is never reused. */
export const releasePublicId = (unit: UnitOfWork, publicId: string): void => {
  const { tenant } = unit
  unit.change(
    publicIdItem.addressOf({ publicId }),
    { remove: ['tenant'] },
    { equals: publicIdItem.attributes({ tenant }) },
  )
}

/** The same for a tenant that was removed, outside of a unit of work. */
export const releaseRemovedId = (tenant: string, publicId: string): Promise<unknown> =>
  updateIf(
    publicIdItem.addressOf({ publicId }),
    { remove: ['tenant'] },
    { equals: publicIdItem.attributes({ tenant }) },
  )

/** The tenant that has an id, in one read. Throws `resource.not_found`. */
export const tenantOfPublicId = async (publicId: string, kind: PublicIdKind): Promise<string> => {
  const known = await readItem(publicIdItem, { publicId })
  if (known?.tenant === undefined || known.of !== kind) throw new AgentError('resource.not_found', `no such ${kind}`)
  return known.tenant
}
