# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of dsm for bash. The program itself says what could stand next: `dsm __complete WORD...`.

_dsm() {
  local -a words=()
  local rest=$COMP_LINE word i
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
  local last=$((${#words[@]} - 1))
  for ((i = 1; i <= last; i++)); do
    words[i]=${words[i]#[\"\']}
    words[i]=${words[i]//\\/}
    ((i < last)) && words[i]=${words[i]%[\"\']}
  done
  local current=${words[last]} program=${words[0]/#\~/$HOME} kept=
  # Only what is behind the last = or : is replaced.
  if [[ $COMP_WORDBREAKS == *=* && $current == *=* ]]; then
    kept=${current%"${current##*=}"}
  fi
  if [[ $COMP_WORDBREAKS == *:* && ${current#"$kept"} == *:* ]]; then
    kept=${current%"${current##*:}"}
  fi
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
    :files)
      compopt -o filenames
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${current#"$kept"}")
      ;;
    :folders)
      compopt -o filenames
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "${current#"$kept"}")
      ;;
    *)
      line=${line%%$'\t'*}
      [[ $line == *[/=.] ]] && compopt -o nospace
      [[ $line == *[[:space:]]* ]] && compopt -o filenames # which are quoted
      COMPREPLY+=("${line#"$kept"}")
      ;;
    esac
  done < <("$program" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _dsm dsm
