# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of dsm for fish. The program itself says what could stand next: `dsm __complete WORD...`.

function __dsm_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    # Of --option=FILE only the file is looked for.
    set -l option (string match -r '^--[^=]*=' -- "$current")
    for line in ($program __complete $words "$current" 2>/dev/null)
        switch $line
            case :files
                string join \n -- "$option"(__fish_complete_path (string replace -- "$option" '' "$current"))
            case :folders
                string join \n -- "$option"(__fish_complete_directories (string replace -- "$option" '' "$current"))
            case '*'
                string join \n -- $line
        end
    end
end

complete -c dsm -f -a '(__dsm_complete)'
