/** The newest version that was seen of a DID, whoever else sees one at the same time. */
import { expect, test } from 'vitest'
import { transaction } from '../../../lib/store/transaction.ts'
import { assertNoRollback } from '../../../lib/webvh/seen-versions.ts'
import { useTable } from '../store/use-table.ts'

await useTable({ check: false, stream: false })

const DID = 'did:webvh:scid:issuer.example'

test('an older version that is seen while a newer one is stored does not take its place', async () => {
  const see = (versions: string[], meanwhile: () => Promise<unknown> = async () => undefined) =>
    transaction('acme', async (unit) => {
      await assertNoRollback(unit, DID, versions)
      await meanwhile()
    })
  await see(['1-a'])
  const newer = ['1-a', '2-b', '3-c']
  const older = see(['1-a', '2-b'], () => see(newer))
  await expect(older).rejects.toMatchObject({ code: 'request.invalid' })
  await see(newer)
})
