# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of dsm for bash. The program itself says what could stand next: `dsm __complete WORD...`.

# Reads a word as the shell would: `text` is what it means, `open` the quote that it leaves open, and
# `kept` the part of the text that stands before what readline replaces.
_dsm_read() {
  local raw=$1 c
  text= open= kept=
  while [[ -n $raw ]]; do
    c=${raw:0:1} raw=${raw:1}
    if [[ $c == "$open" ]]; then
      open= kept=$text
    elif [[ -z $open && $c == [\"\'] ]]; then
      open=$c kept=$text
    elif [[ $c == \\ && (-z $open || $open == \" && $raw == [\"\$\`\\]*) ]]; then
      text+=${raw:0:1} raw=${raw:1}
    else
      text+=$c
      [[ -z $open && $COMP_WORDBREAKS == *"$c"* ]] && kept=$text
    fi
  done
}

# Writes a text so that, behind the quote `open`, it means itself: `quoted`.
_dsm_quote() {
  local plain=$1 c
  quoted=
  while [[ -n $plain ]]; do
    c=${plain:0:1} plain=${plain:1}
    case $open:$c in
    "':'") c="'\\''" ;;
    \":[\"\$\`\\]) c=\\$c ;;
    \":!) c='"\!"' ;;
    :[][\ \"\'\`\\\$\&\;\|\<\>\(\)\{\}*?!~#^]) c=\\$c ;;
    esac
    quoted+=$c
  done
}

_dsm() {
  local -a words=()
  local rest=$COMP_LINE word i text open kept quoted
  # Bash also cuts words at = and : (COMP_WORDBREAKS): what is not apart in the line is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
      rest=${rest#"${rest%%[![:space:]]*}"}
      words+=("$word")
    else
      words[${#words[@]} - 1]+=$word
    fi
    rest=${rest#"$word"}
  done
  for i in "${!words[@]}"; do
    _dsm_read "${words[i]}"
    words[i]=$text
  done
  local program=${words[0]/#\~/$HOME} line is_file=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
    :files)
      is_file=1
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${text#"$kept"}")
      ;;
    :folders)
      is_file=1
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "${text#"$kept"}")
      ;;
    *)
      line=${line%%$'\t'*}
      [[ $line == *[/=.] ]] && compopt -o nospace
      COMPREPLY+=("${line#"$kept"}")
      ;;
    esac
  done < <("$program" __complete "${words[@]:1}" 2>/dev/null)
  if [[ -n $is_file ]]; then
    compopt -o filenames # which readline quotes
    return
  fi
  for i in "${!COMPREPLY[@]}"; do
    _dsm_quote "${COMPREPLY[i]}"
    COMPREPLY[i]=$quoted
  done
}
complete -F _dsm dsm
