/** The order of the test files: those that take long begin first, so that at the end no processor waits for one of them. */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Without results of an earlier run vitest goes by the size of the files, which does not predict their time. */
const LONG = [
  'test/attacks/signed-presentations.test.ts',
  'test/attacks/foreign-threads.test.ts',
  'test/faults/store-faults.test.ts',
  'test/stage/guides.test.ts',
  'test/bundles/bundles.test.ts',
  'test/unit/infra/deployment.test.ts',
  'test/unit/infra/room-for-operations.test.ts',
  'test/unit/outbox/probe-faults.test.ts',
  'test/unit/store/client.test.ts',
]

const isLong = ({ moduleId, project }: TestSpecification): boolean =>
  LONG.includes(relative(project.config.root, moduleId))

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Files of a project stay together: they share processes.
    const projects = Map.groupBy(sorted, ({ project }) => project.name)
    return [...projects.values()].flatMap((some) => [...some.filter(isLong), ...some.filter((one) => !isLong(one))])
  }
}
