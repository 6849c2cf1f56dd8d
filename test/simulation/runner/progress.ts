/** One line that is written over, where a person looks at it. */
import process from 'node:process';

export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

export function endProgress(): void {
  showProgress('');
}
