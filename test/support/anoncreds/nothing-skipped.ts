/** The layer `anoncreds` runs the tests that other layers skip without the native library: here a skipped test is a failure. */
import type { TestProject } from 'vitest/node'

export default ({ name, vitest }: TestProject) =>
  () => {
    // `-t` skips what it does not name.
    if (vitest.config.testNamePattern !== undefined) return
    const modules = vitest.state.getTestModules().filter(({ project }) => project.name === name)
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map(({ fullName }) => fullName),
    )
    if (skipped.length > 0) throw new Error(`skipped, in the layer that may skip nothing:\n${skipped.join('\n')}`)
  }
