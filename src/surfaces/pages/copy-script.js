// The button that copies what a field or a paragraph shows. `say` is for those who cannot see, with '' when there is no
// more to say.
// biome-ignore lint/correctness/noUnusedVariables: the script of the page, which follows, calls it.
function offerCopy(button, source, words, say) {
  const label = button.querySelector('span');
  const usual = label.textContent;
  let timer;
  button.hidden = false;
  button.onclick = async () => {
    const isCopied = await copy();
    if (isCopied) label.textContent = words.copied;
    button.classList.toggle('copied', isCopied);
    say(isCopied ? words.copied : words.copyFailed);
    clearTimeout(timer);
    timer = setTimeout(() => {
      label.textContent = usual;
      button.classList.remove('copied');
      say('');
    }, 2000);
  };

  async function copy() {
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      return true;
    } catch {
      // No secure page, or a frame without the permission.
      source.focus();
      if (source.select) source.select();
      else getSelection().selectAllChildren(source);
      return document.execCommand('copy');
    }
  }
}
