/** Tables for people: columns as wide as their contents, numbers to the right. */

export type Cell = string | number

const isNumber = (cell: Cell | undefined): cell is number => typeof cell === 'number'

/** Prints a title, the names of the columns, a line for each row, and remarks below. */
export const printTable = (title: string, columns: string[], rows: Cell[][], remarks: string[] = []): void => {
  const texts = [columns, ...rows.map((row) => row.map(String))]
  const widths = columns.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) =>
    row.map((text, column) => {
      const width = widths[column] ?? 0
      return rows.some((cells) => isNumber(cells[column])) ? text.padStart(width) : text.padEnd(width)
    })
  console.log(`\n${title}\n`)
  for (const row of texts) console.log(`  ${line(row).join('   ').trimEnd()}`)
  for (const remark of remarks) console.log(`\n  ${remark}`)
}
